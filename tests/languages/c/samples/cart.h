/**
 * @file cart.h
 * What a customer has chosen so far.
 */
#ifndef SHOP_CART_H
#define SHOP_CART_H

#include <stddef.h>
#include "article.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How many lines a cart may have. */
#define CART_MOST_LINES 200
#define CART_EACH(cart, line) \
    for (struct line *line = (cart)->first; line != NULL; line = line->next)

enum discount {
    DISCOUNT_NONE = 0,
    DISCOUNT_REGULAR = 5, /* who comes often */
    DISCOUNT_STAFF = 30,
};

/** One article, and how often it is bought. */
struct line {
    const struct article *article;
    unsigned count, reserved;
    struct line *next;
};

typedef struct cart {
    char *owner;
    struct line *first;
    size_t size;
    enum discount discount;
    int (*compare)(const struct line *a, const struct line *b);
    union {
        long cents;
        double exact;
    } total;
    unsigned closed : 1;
} cart_t;

typedef int (*line_visitor)(struct line *line, void *data);

extern int cart_count;

/** An empty cart; NULL where there is no memory. */
cart_t *cart_new(const char *owner);
void cart_free(cart_t *cart);

/**
 * Puts an article into the cart.
 *
 * @return the line that holds it
 */
struct line *cart_add(
    cart_t *cart,
    const struct article *article,
    unsigned count);
long cart_total(const cart_t *cart);
int cart_visit(cart_t *cart, line_visitor visit, void *data);

static inline size_t cart_size(const cart_t *cart)
{
    return cart->size;
}

#ifdef __cplusplus
}
#endif

#endif /* SHOP_CART_H */
