/*
 * Copyright nobody in particular.
 */
package geometry;

import java.io.IOException;
import java.io.Reader;
import java.util.*;
import java.util.function.Function;

/** Something with an area. */
public sealed interface Shapes<T extends Number> permits Circle, Quad {
    int DIMENSIONS = 2;

    /** The area in square units. */
    double area();

    Shapes<T> scaled(T factor) throws ArithmeticException;

    default String described() {
        return getClass().getSimpleName() + " with " + area();
    }

    static <N extends Number> Shapes<N> largest(Collection<? extends Shapes<N>> all) {
        return all.stream().max(Comparator.comparingDouble(Shapes::area)).orElseThrow();
    }
}

record Circle<T extends Number>(double x, double y, double größe) implements Shapes<T> {
    static final Circle<Integer> UNIT = new Circle<>(0, 0, 1);

    Circle {
        if (größe < 0) {
            throw new IllegalArgumentException();
        }
    }

    @Override
    public double area() {
        return Math.PI * größe * größe;
    }

    @Override
    public Circle<T> scaled(T factor) {
        return new Circle<>(x, y, größe * factor.doubleValue());
    }
}

@interface Measured {
    String unit() default "cm";

    int[] precision() default {1, 2};
}

abstract class Reading {
    protected final Map<String, List<Circle<Integer>>> known = new HashMap<>();
    private Function<String, Double> parser = text -> {
        double value = Double.parseDouble(text);
        return value;
    };

    static {
        System.setProperty("geometry", "on");
    }

    protected abstract void found(Circle<Integer> circle);

    @Measured(unit = "mm")
    @SuppressWarnings({"unchecked", "rawtypes"})
    int read(Reader reader, final String... names) throws IOException {
        int count = 0;
        try (var scanner = new Scanner(reader)) {
            while (scanner.hasNext()) {
                String line = scanner.nextLine();
                switch (line.charAt(0)) {
                    case '#':
                        continue;
                    case 'c':
                        count++;
                        break;
                    default:
                        count += names.length;
                }
            }
        } catch (NoSuchElementException | IllegalStateException e) {
            throw new IOException("at " + count, e);
        }
        Object last = known.get("last");
        if (last instanceof List<?> list && !list.isEmpty()) {
            found((Circle<Integer>) list.get(0));
        }
        Runnable report = new Runnable() {
            private int runs;

            @Override
            public void run() {
                runs++;
                System.out.println("read " + runs);
            }
        };
        report.run();
        return count;
    }
}
