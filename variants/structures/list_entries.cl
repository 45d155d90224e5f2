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
#if PERIODIC
    return entry & ENTRY_PLACE;
#else
    return entry;
#endif
}

DEVICE int entry_image(int entry)
{
    return (int)(((uint)entry >> ENTRY_PLACE_BITS) + HOME_IMAGE) % 27;
}

/* The image of a position of now that is next to where the particle was when the list was built. */
DEVICE real4 image_next_to(real4 now, real4 built, box_args box)
{
#if PERIODIC
    const real4 step = displacement(now, built, box);
    now.x = built.x + step.x;
    now.y = built.y + step.y;
    now.z = built.z + step.z;
#endif
    return now;
}

/* Fills a group's table of the shifts of all images, each where the upper bits of an entry say; every work-item of the
 * group calls it. */
DEVICE void fill_entry_shifts(LOCAL_ARG real4 *shifts, box_args box)
{
    for (int k = LOCAL_ID; k < 27; k += LOCAL_SIZE) {
        shifts[k] = shift_of_image((k + HOME_IMAGE) % 27, box);
    }
    SYNC_THREADS;
}
