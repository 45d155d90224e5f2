/*
 * member_order — which particle stands at a place, and where a particle stands, as
 * workloads/member_order.h has it
 *
 * A place is where a kernel under test finds a particle; a member is the particle. n is below 2^31;
 * `share` of them are in a circle together, all n unless there is a batch of boxes. Of the stride,
 * `back` is the inverse modulo n.
 */

DEVICE int circle_member_at(int place, int n, int shift, int stride)
{
    return (int)(((unsigned long)place * (unsigned long)stride + (unsigned long)shift) %
                 (unsigned long)n);
}

DEVICE int order_member_at(int place, int n, int share, int shift, int stride)
{
    if (share == n) {
        return circle_member_at(place, n, shift, stride);
    }
    return circle_member_at(place / share, n / share, shift / share, stride / share) * share +
           circle_member_at(place % share, share, shift % share, stride % share);
}

/* Where there are no batches. */
DEVICE int order_place_of(int member, int n, int shift, int back)
{
    const int from = member >= shift ? member - shift : member + n - shift;
    return (int)((unsigned long)from * (unsigned long)back % (unsigned long)n);
}
