/*
 * box_tree — boxes around clusters of particles that follow each other along a curve, and a tree of them
 *
 * A node of level 0 holds clusters, each node of a later level 128 of the level before, that of the last level all. Nodes lie level by
 * level, two corners each. A group goes down the tree for each image of the box, with a stack in local memory; its work-items look at
 * 128 nodes at a time. So no cell is walked, and how particles are spread does not matter.
 */
#define FAN 128
#define STACK 512 /* of each of the 27 images and of two levels of 128 nodes, those that wait */
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

/* A node per group, which holds `fan` of the `children` from `first_child` on. */
KERNEL void bound_nodes(int fan, int children, int first_child, int first_node, GLOBAL const real4 *RESTRICT child_box,
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
        node_box[2 * (long64)(first_node + GROUP_ID)] = box.least;
        node_box[2 * (long64)(first_node + GROUP_ID) + 1] = box.most;
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

/* What waits: a node of a level, for an image. */
DEVICE int waiting_node(int level, int node, int image)
{
    return node | image << 20 | level << 26;
}

/* Finds the images of the box that are near, and has its tree wait in each, from the first level of one node on; tells how many there
 * are. */
DEVICE int find_images(corners own, box_tree tree, GLOBAL const real4 *RESTRICT node_box, box_args box, real near2,
                       LOCAL_ARG int *room, LOCAL_ARG int *stack)
{
    const corners all = read_corners(node_box, tree.begin[3]);
    const int image = LOCAL_ID;
    const int level = tree.count[1] == 1 ? 1 : tree.count[2] == 1 ? 2 : 3;
    const int is_near =
        image < 27 && (PERIODIC || image == HOME_IMAGE) && gap2_to(own, all, shift_of_image(image, box)) <= near2;
    const int upto = scan_group(room, is_near);
    if (is_near) {
        stack[upto - 1] = waiting_node(level, 0, image);
    }
    return room[LOCAL_SIZE - 1];
}

/* Finds which children of a node that waited are near, and tells how many. They wait in its place; those of level 0 stand in
 * `found`, if `once` only where node `own_node` is to list them (lists_once()). */
DEVICE int find_children(int own_node, int once, corners own, int waited, real4 shift, box_tree tree,
                         GLOBAL const real4 *RESTRICT node_box, real near2, LOCAL_ARG int *room, LOCAL_ARG int *stack,
                         LOCAL_ARG int *found)
{
    const int node = waited & ((1 << 20) - 1);
    const int image = waited >> 20 & 63;
    const int level = (waited >> 26) - 1;
    const int child = node * FAN + LOCAL_ID;
    int is_near = child < tree.count[level] &&
                  gap2_to(own, read_corners(node_box, tree.begin[level] + child), shift) <= near2;
    is_near = is_near && (level > 0 || !once || lists_once(own_node, child, image));
    const int upto = scan_group(room, is_near);
    if (is_near && level > 0) {
        stack[upto - 1] = waiting_node(level, child, image);
    } else if (is_near) {
        found[upto - 1] = child;
    }
    return room[LOCAL_SIZE - 1];
}
