/** Loaded before anything else, makes the clock of a process wrong by so many milliseconds. */
const by_ms = Number(process.env.WRONG_CLOCK_MS);
const { now } = Date;
Date.now = () => now() + by_ms;
