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

/* In which third of the cell a particle was when the list was built, along each edge, two bits each: enough to tell later which
 * image of its position is next to there, as long as it has moved by less than a third of an edge; a quarter of what a position
 * takes to read, or an eighth. A triclinic cell has the position itself told. */
#define IMAGES_BY_THIRDS (PERIODIC && !TRICLINIC)
DEVICE int third_of(real x, real inverse_edge)
{
    const int third = (int)(x * inverse_edge * REAL(3.0));
    return third < 0 ? 0 : third < 3 ? third : 2;
}

DEVICE int thirds_of(real4 built, box_args box)
{
    return third_of(built.x, box.inverse_edge.x) | third_of(built.y, box.inverse_edge.y) << 2 |
           third_of(built.z, box.inverse_edge.z) << 4;
}

/* The image of x that is nearest to the middle of a third. */
DEVICE real next_to_third(real x, int third, real edge, real inverse_edge)
{
    const real middle = ((real)third + REAL(0.5)) * edge * REAL(0.333333333333333333);
    return FMA(-edge, RINT((x - middle) * inverse_edge), x);
}

DEVICE real4 image_next_to_thirds(real4 now, int thirds, box_args box)
{
    now.x = next_to_third(now.x, thirds & 3, box.edge.x, box.inverse_edge.x);
    now.y = next_to_third(now.y, thirds >> 2 & 3, box.edge.y, box.inverse_edge.y);
    now.z = next_to_third(now.z, thirds >> 4 & 3, box.edge.z, box.inverse_edge.z);
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
