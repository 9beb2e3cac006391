import type * as prometheus from 'prom-client';
// @ts-expect-error: these parts have no types of their own.
import counter from 'prom-client/lib/counter.js';
// @ts-expect-error
import gauge from 'prom-client/lib/gauge.js';
// @ts-expect-error
import histogram from 'prom-client/lib/histogram.js';
// @ts-expect-error
import registry from 'prom-client/lib/registry.js';

// The parts of `prom-client` that are used. The whole of it loads an API for tracing, its own metrics of the process and a
// client of gateways: twice as many modules.
// @source decision 906

export const Counter = counter as typeof prometheus.Counter;
export const Gauge = gauge as typeof prometheus.Gauge;
export type Gauge<Label extends string = string> = prometheus.Gauge<Label>;
export type Counter<Label extends string = string> = prometheus.Counter<Label>;
export const Histogram = histogram as typeof prometheus.Histogram;
export type Histogram<Label extends string = string> = prometheus.Histogram<Label>;
export const Registry = registry as typeof prometheus.Registry;
export type Registry = prometheus.Registry;
