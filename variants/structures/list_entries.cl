/*
 * list_entries — how an entry of list_columns names a place and the image it was seen in: said once, for the builder and
 * for those who walk
 */
#define HOME_IMAGE 13      /* no shift: see shift_of_image */
#define ENTRY_PLACE_BITS 27
#define ENTRY_PLACE ((1 << ENTRY_PLACE_BITS) - 1)

/* Of the images, that of no shift has the upper bits zero. */
DEVICE int list_entry(int place, int image)
{
    return (int)((uint)place | (uint)((image + 27 - HOME_IMAGE) % 27) << ENTRY_PLACE_BITS);
}

DEVICE int entry_place(int entry)
{
    return entry & ENTRY_PLACE;
}

DEVICE int entry_image(int entry)
{
    return (int)(((uint)entry >> ENTRY_PLACE_BITS) + HOME_IMAGE) % 27;
}
