import { DatabaseSync } from 'node:sqlite';
import { answerCalls } from '../../base/threads.ts';

let open: { readonly file: string; readonly database: DatabaseSync } | undefined;

/** Moves as much of the log as no reader needs any more; waits for nobody. */
function move(file: string): void {
  if (open?.file !== file) {
    open?.database.close();
    open = { file, database: new DatabaseSync(file) };
    open.database.exec('pragma synchronous = full');
  }
  open.database.exec('pragma wal_checkpoint(passive)');
}

function leave(): void {
  open?.database.close();
  open = undefined;
}

const answers = { move, leave };

/** What the thread of checkpoints can be asked. */
export type CheckpointCalls = typeof answers;

answerCalls(answers);
