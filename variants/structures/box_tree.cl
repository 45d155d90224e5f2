/*
 * box_tree — boxes around clusters of particles that follow each other along a curve, and a tree of them
 *
 * A node of level 0 holds clusters, each node of a later level 128 of the level before, that of the last level all. Nodes lie level by
 * level, two corners each. A group goes down the tree, with a stack in local memory; its work-items look at 128 nodes at a time, in all
 * images. So no cell is walked, and how particles are spread does not matter.
 */
#define FAN 128
#define STACK 512 /* of two levels of 128 nodes, those that wait */
#define NOWHERE REAL(1.0e17)
#define HAIR REAL(1.0001) /* what rounding does to the gap between boxes */

/* ---- boxes ---- */

/* What holds some particles. Nobody is within reach of that which holds none. */
typedef struct {
    real4 least, most;
} corners;

DEVICE corners no_corners(void)
{
    corners none;
    none.least = make_real4(NOWHERE, NOWHERE, NOWHERE, 0);
    none.most = make_real4(-NOWHERE, -NOWHERE, -NOWHERE, 0);
    return none;
}

DEVICE corners join_corners(corners a, corners b)
{
    a.least.x = MIN_REAL(a.least.x, b.least.x);
    a.least.y = MIN_REAL(a.least.y, b.least.y);
    a.least.z = MIN_REAL(a.least.z, b.least.z);
    a.most.x = MAX_REAL(a.most.x, b.most.x);
    a.most.y = MAX_REAL(a.most.y, b.most.y);
    a.most.z = MAX_REAL(a.most.z, b.most.z);
    return a;
}

/* The square of the gap between two boxes, of which the second is seen shifted. */
DEVICE real gap2_to(corners own, corners other, real4 shift)
{
    const real x = MAX_REAL(other.least.x + shift.x - own.most.x, own.least.x - other.most.x - shift.x);
    const real y = MAX_REAL(other.least.y + shift.y - own.most.y, own.least.y - other.most.y - shift.y);
    const real z = MAX_REAL(other.least.z + shift.z - own.most.z, own.least.z - other.most.z - shift.z);
    const real gap_x = MAX_REAL(x, REAL(0.0));
    const real gap_y = MAX_REAL(y, REAL(0.0));
    const real gap_z = MAX_REAL(z, REAL(0.0));
    return FMA(gap_x, gap_x, FMA(gap_y, gap_y, gap_z * gap_z));
}

/* Boxes lie two corners at a time. */
DEVICE corners read_corners(GLOBAL const real4 *RESTRICT boxes, int number)
{
    corners box;
    box.least = boxes[2 * (long64)number];
    box.most = boxes[2 * (long64)number + 1];
    return box;
}

KERNEL void bound_clusters(int n, int clusters, int particles, GLOBAL const real4 *RESTRICT place_position,
                           GLOBAL real4 *RESTRICT cluster_box)
{
    const int cluster = GLOBAL_ID;
    if (cluster < clusters) {
        corners box = no_corners();
        for (int place = cluster * particles; place < (cluster + 1) * particles && place < n; place++) {
            corners point;
            point.least = place_position[place];
            point.most = point.least;
            box = join_corners(box, point);
        }
        cluster_box[2 * (long64)cluster] = box.least;
        cluster_box[2 * (long64)cluster + 1] = box.most;
    }
}

/* A node per group, which holds `fan` of the `children` from `first_child` on; a single one is that of all levels from its own on. */
KERNEL void bound_nodes(int fan, int children, int first_child, int first_node, int levels, GLOBAL const real4 *RESTRICT child_box,
                        GLOBAL real4 *RESTRICT node_box)
{
    LOCAL real4 least[GROUP_SIZE];
    LOCAL real4 most[GROUP_SIZE];
    const int child = GROUP_ID * fan + LOCAL_ID;
    const int is_there = LOCAL_ID < fan && child < children;
    corners box = is_there ? read_corners(child_box, first_child + child) : no_corners();
    least[LOCAL_ID] = box.least;
    most[LOCAL_ID] = box.most;
    SYNC_THREADS;
    for (int apart = LOCAL_SIZE / 2; apart > 0; apart /= 2) {
        if (LOCAL_ID < apart) {
            corners other;
            other.least = least[LOCAL_ID + apart];
            other.most = most[LOCAL_ID + apart];
            box = join_corners(box, other);
            least[LOCAL_ID] = box.least;
            most[LOCAL_ID] = box.most;
        }
        SYNC_THREADS;
    }
    if (LOCAL_ID == 0) {
        for (int node = first_node + GROUP_ID; node < first_node + GROUP_ID + levels; node++) {
            node_box[2 * (long64)node] = box.least;
            node_box[2 * (long64)node + 1] = box.most;
        }
    }
}

/* ---- the tree ---- */

/* The levels of the tree: how many nodes each has, and where they begin among all boxes. The last is one node. */
typedef struct {
    int count[4], begin[4];
} box_tree;

DEVICE box_tree make_tree(int nodes)
{
    box_tree tree;
    tree.count[0] = nodes;
    tree.begin[0] = 0;
    for (int level = 1; level < 4; level++) {
        tree.count[level] = level < 3 ? (tree.count[level - 1] + FAN - 1) / FAN : 1;
        tree.begin[level] = tree.begin[level - 1] + tree.count[level - 1];
    }
    return tree;
}

/* What waits: a node of a level; of one of level 1, the turn of its children's images. */
DEVICE int waiting_node(int level, int node, int turn)
{
    return node | turn << 20 | level << 26;
}

/* What is found: a node of level 0 in an image. */
DEVICE int found_node(int found)
{
    return found & ((1 << 20) - 1);
}

DEVICE int found_image(int found)
{
    return found >> 20;
}

/* Has the only node of the first level that has one wait; returns that it is one. */
DEVICE int begin_walk(box_tree tree, LOCAL_ARG int *stack)
{
    if (LOCAL_ID == 0) {
        stack[0] = waiting_node(tree.count[1] == 1 ? 1 : tree.count[2] == 1 ? 2 : 3, 0, 0);
    }
    return 1;
}

#if PERIODIC && !TRICLINIC
/* The square of the gap along one axis to what is seen shifted. */
DEVICE real gap2_along(real own_least, real own_most, real least, real most, real shift)
{
    const real gap = MAX_REAL(MAX_REAL(least + shift - own_most, own_least - most - shift), REAL(0.0));
    return gap * gap;
}
#endif

/* The images that a box is near in, a bit each. */
DEVICE uint near_images(corners own, corners other, box_args box, real near2)
{
#if !PERIODIC
    return (uint)(gap2_to(own, other, make_real4(0, 0, 0, 0)) <= near2) << HOME_IMAGE;
#else
    uint images = 0;
#if TRICLINIC
    for (int image = 0; image < 27; image++) {
        images |= (uint)(gap2_to(own, other, shift_of_image(image, box)) <= near2) << image;
    }
#else
    real x[3], y[3], z[3];
    for (int k = 0; k < 3; k++) {
        x[k] = gap2_along(own.least.x, own.most.x, other.least.x, other.most.x, (k - 1) * box.edge.x);
        y[k] = gap2_along(own.least.y, own.most.y, other.least.y, other.most.y, (k - 1) * box.edge.y);
        z[k] = gap2_along(own.least.z, own.most.z, other.least.z, other.most.z, (k - 1) * box.edge.z);
    }
    for (int image = 0; image < 27; image++) {
        images |= (uint)(x[image % 3] + y[image / 3 % 3] + z[image / 9] <= near2) << image;
    }
#endif
    return images;
#endif
}

/* Takes the last node that waits and finds which of its children are near: they wait in its place. Those of level 0 stand in `found`,
 * and their number is returned, else 0; each once per image that it is near in, if `once` only where node `own_node` is to list it
 * (lists_once()). One image of each is found at a time, and as long as one has more the node waits on. */
DEVICE int find_children(int own_node, int once, corners own, box_tree tree, GLOBAL const real4 *RESTRICT node_box, box_args box,
                         real near2, LOCAL_ARG int *room, LOCAL_ARG int *stack, int *waiting, LOCAL_ARG int *found)
{
    const int waited = stack[*waiting - 1];
    const int turn = waited >> 20 & 63;
    const int level = (waited >> 26) - 1;
    const int child = (waited & ((1 << 20) - 1)) * FAN + LOCAL_ID;
    uint images = 0;
    if (child < tree.count[level]) {
        images = near_images(own, read_corners(node_box, tree.begin[level] + child), box, near2);
    }
    for (int image = 0; once && level == 0 && image < 27; image++) {
        images &= lists_once(own_node, child, image) ? ~0u : ~(1u << image);
    }
    for (int before = 0; before < turn; before++) {
        images &= images - 1;
    }
    const int is_near = images != 0;
    const int has_more = level == 0 && (images & (images - 1)) != 0;
    const int upto = scan_group(room, is_near | has_more << 16) & 0xffff;
    const int total = room[LOCAL_SIZE - 1] & 0xffff;
    const int waits_on = room[LOCAL_SIZE - 1] >> 16 != 0;
    if (is_near && level > 0) {
        stack[*waiting - 1 + upto - 1] = waiting_node(level, child, 0);
    } else if (is_near) {
        found[upto - 1] = child | (31 - LEADING_ZEROS(images & (0u - images))) << 20;
    }
    if (waits_on && LOCAL_ID == 0) {
        stack[*waiting - 1] = waiting_node(level + 1, child / FAN, turn + 1);
    }
    *waiting += level > 0 ? total - 1 : waits_on - 1;
    return level > 0 ? 0 : total;
}
