#include "cart.h"

#include <stdlib.h>
#include <string.h>

#define STEP 16
#define PERCENT(value, percent) ((value) * (percent) / 100)

int cart_count = 0;

static const char *const names[] = {
    "none",
    "regular",
    "staff",
};
static int (*order)(const struct line *, const struct line *);

/* Lines are ordered as they come, unless somebody asks for another order. */
static struct line *
find_line(cart_t *cart, const struct article *article)
{
    CART_EACH(cart, line) {
        if (line->article == article || strcmp(line->article->name, article->name) == 0)
            return line;
    }
    return NULL;
}

cart_t *cart_new(const char *owner)
{
    cart_t *cart = calloc(1, sizeof *cart);
    if (cart == NULL)
        return NULL;
    cart->owner = strdup(owner);
    cart->discount = DISCOUNT_NONE;
    cart_count++;
    return cart;
}

void cart_free(cart_t *cart)
{
    struct line *line = cart->first, *next;

    while (line != NULL) {
        next = line->next;
        free(line);
        line = next;
    }
    free(cart->owner);
    free(cart);
}

struct line *cart_add(cart_t *cart, const struct article *article, unsigned count)
{
    struct line *line = find_line(cart, article);
    struct line made = { .article = article, .count = 0 };

    if (line == NULL) {
        line = malloc(sizeof made);
        if (line == NULL)
            goto failed;
        *line = made;
        line->next = cart->first;
        cart->first = line;
        cart->size++;
    }
    line->count += count;
    return line;

failed:
    return NULL;
}

/** The total in cents, discount included: „größer“ or not. */
long cart_total(const cart_t *cart)
{
    long total = 0;
    unsigned char steps[STEP] = {0};

    for (const struct line *line = cart->first; line; line = line->next)
        total += (long)line->count * line->article->cents;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        switch (steps[i]) {
        case 0:
            continue;
        default:
            break;
        }
    }
#ifdef SHOP_DISCOUNT
    total -= PERCENT(total, cart->discount);
#else
    (void)names;
#endif
    return total;
}

int cart_visit(cart_t *cart, line_visitor visit, void *data)
{
    int result = 0;
    order = cart->compare;
    CART_EACH(cart, line) {
        int i = visit(line, data);
        if (i != 0)
            return i;
    }
    return result;
}
