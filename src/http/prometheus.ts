import { createRequire } from 'node:module';
import type * as prometheus from 'prom-client';

// The parts of `prom-client` that are used. The whole of it loads an API for tracing, its own metrics of the process and a
// client of gateways: twice as many modules.
// @source decision 906
const load = createRequire(import.meta.url);

/** A count that only grows. */
export const Counter: typeof prometheus.Counter = load('prom-client/lib/counter.js');
/** A count that only grows, with these labels. */
export type Counter<Label extends string = string> = prometheus.Counter<Label>;
/** A value that changes. */
export const Gauge: typeof prometheus.Gauge = load('prom-client/lib/gauge.js');
/** How often values were in which range. */
export const Histogram: typeof prometheus.Histogram = load('prom-client/lib/histogram.js');
/** How often values with these labels were in which range. */
export type Histogram<Label extends string = string> = prometheus.Histogram<Label>;
/** The metrics that are served together. */
export const Registry: typeof prometheus.Registry = load('prom-client/lib/registry.js');
/** Metrics that are served together. */
export type Registry = prometheus.Registry;
