import { openSequencer } from '../../src/features/activity/sequencer.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { storeOn } from '../../src/storage/core/store.ts';

/** Runs the sequencer of a database in a process of its own, until the process is killed. */
const driver = openPostgres({ url: process.argv[2]!, connectionsMax: 2 });
const sequencer = openSequencer({
  store: storeOn(driver),
  onEvents() {},
  onOthersTurn() {},
  onError: (error) => void process.send!(String(error)),
});
await sequencer.start();
process.send!('started');
// Its polls alone do not keep a process alive.
process.on('disconnect', () => process.exit());
