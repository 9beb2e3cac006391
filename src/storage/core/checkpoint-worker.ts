import { DatabaseSync } from 'node:sqlite';
import { answerCalls } from '../../base/threads.ts';

let open: { readonly file: string; readonly database: DatabaseSync } | undefined;

/** Checkpoints the frames that no reader needs; does not wait for other connections. */
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

/** The calls that the checkpoint thread answers. */
export type CheckpointCalls = typeof answers;

answerCalls(answers);
