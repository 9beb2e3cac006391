import type { ApplicationLimit } from '../../contract/declare/application-limits.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** Limits that apply to single applications. @source decision 345 */
export class ApplicationLimits extends Table {
  /** The limits of an application that differ from the settings. */
  async find(application: string): Promise<Partial<Record<ApplicationLimit, number>>> {
    const found = await this.session.all('application_limits of', { application }, (db, param) =>
      db.selectFrom('application_limits').select(['name', 'value']).where('application_id', '=', param('application')),
    );
    return Object.fromEntries(found.map(({ name, value }) => [name, value]));
  }

  /** Overrides a limit; null restores the setting. */
  async set(application: string, name: ApplicationLimit, value: number | null) {
    await deleteRows(this.session, 'application_limits', { application_id: application, name });
    if (value !== null) {
      await insertRows(this.session, 'application_limits', [{ application_id: application, name, value }]);
    }
  }
}
