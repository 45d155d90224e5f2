#include "report/report_svg.h"

#include "base/strbuf.h"
#include "report/html.h"

#include <string.h>

/* What gnuplot's svg terminal writes. */
static const char *const elements[] = { "svg",     "g",           "defs",  "desc",
                                        "title",   "path",        "rect",  "circle",
                                        "use",     "text",        "tspan", "a",
                                        "polygon", "polyline",    "line",  "filter",
                                        "feFlood", "feComposite", "image", "linearGradient",
                                        "stop",    "pattern",     "mask",  "clipPath" };

enum { ELEMENTS = sizeof elements / sizeof elements[0] };

/* In attributes: what comes right before the name of an id. */
static const char *const id_marks[] = { " id='",          " id=\"",   "xlink:href='#",
                                        "xlink:href=\"#", " href='#", " href=\"#",
                                        "url(#",          "url('#",   "url(\"#" };

enum { ID_MARKS = sizeof id_marks / sizeof id_marks[0] };

static bool begins_with(const char *words, const char *beginning) {
    return strncmp(words, beginning, strlen(beginning)) == 0;
}

/* The end of the tag that begins at `tag`: after its '>', those in quotes apart; NULL: none. */
static const char *end_of_tag(const char *tag) {
    char quote = '\0';
    for (; *tag; tag++) {
        if (quote) {
            quote = *tag == quote ? '\0' : quote;
        } else if (*tag == '"' || *tag == '\'') {
            quote = *tag;
        } else if (*tag == '>') {
            return tag + 1;
        }
    }
    return NULL;
}

static bool is_known(const char *tag) {
    const char *name = tag + 1 + (tag[1] == '/');
    size_t length = strcspn(name, " \t\n/>");
    for (int i = 0; i < ELEMENTS; i++) {
        if (strlen(elements[i]) == length && strncmp(elements[i], name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether an attribute begins with "on": a handler of events. Quoted values are passed over. */
static bool has_handler(const char *tag, const char *end) {
    for (; tag < end; tag++) {
        if (*tag == '"' || *tag == '\'') {
            const char *close = memchr(tag + 1, *tag, (size_t)(end - tag - 1));
            tag = close ? close : end;
        } else if ((*tag == ' ' || *tag == '\t' || *tag == '\n') &&
                   strncasecmp(tag + 1, "on", 2) == 0) {
            return true;
        }
    }
    return false;
}

static void copy_tag(struct strbuf *html, const char *tag, const char *end, const char *prefix) {
    const char *copied = tag;
    for (const char *at = tag; at < end; at++) {
        for (int i = 0; i < ID_MARKS; i++) {
            if (begins_with(at, id_marks[i])) {
                at += strlen(id_marks[i]);
                strbuf_append_bytes(html, copied, (size_t)(at - copied));
                strbuf_append(html, "%s", prefix);
                copied = at;
                break;
            }
        }
    }
    strbuf_append_bytes(html, copied, (size_t)(end - copied));
}

/* <svg ...> becomes an image with a name; its own title comes first in it. */
static void open_image(struct strbuf *html, const char *tag, const char *end, const char *prefix,
                       const char *title) {
    strbuf_append(html, "<svg role=\"img\" aria-labelledby=\"%stitle\"", prefix);
    copy_tag(html, tag + 4, end, prefix);
    strbuf_append(html, "<title id=\"%stitle\">", prefix);
    html_text(html, title);
    strbuf_append(html, "</title>");
}

/* After the element that begins at `tag`, whose name is `name`, and has no element in it. */
static const char *skip_element(const char *tag, const char *close) {
    const char *end = strstr(tag, close);
    return end ? end + strlen(close) : NULL;
}

bool svg_append(struct strbuf *html, const char *svg, const char *prefix, const char *title,
                struct error *error) {
    const char *at = strstr(svg, "<svg");
    const char *last = at ? strstr(at, "</svg>") : NULL;
    if (!last) {
        return fail(error, STATUS_BAD_INPUT, "not an SVG, or cut short");
    }
    const char *end = end_of_tag(at);
    if (!end || has_handler(at, end)) {
        return fail(error, STATUS_BAD_INPUT, "not an SVG that gnuplot writes");
    }
    open_image(html, at, end, prefix, title);
    for (at = end; at && at < last; at = end) {
        const char *tag = strchr(at, '<');
        strbuf_append_bytes(html, at, (size_t)(tag - at));
        end = end_of_tag(tag);
        if (!end || !is_known(tag) || has_handler(tag, end)) {
            return fail(error, STATUS_BAD_INPUT, "it holds %.20s, which gnuplot does not write",
                        tag);
        }
        if (begins_with(tag, "<title>")) {
            end = skip_element(tag, "</title>");
        } else if (begins_with(tag, "<desc>")) {
            end = skip_element(tag, "</desc>");
        } else {
            copy_tag(html, tag, end, prefix);
        }
    }
    return true;
}
