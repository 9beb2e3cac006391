import type { OperatorPage, OperatorSections } from '../../contract/declare/operator-pages.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { overviewPage } from './overview-page.ts';

/** The sections, in the order of the header. */
export const operatorSections: OperatorSections = [['', 'Overview']];

/** The pages on which operators run the service. */
export function operatorPages(deps: OperatorConsoleDeps): readonly OperatorPage[] {
  return [overviewPage(deps)];
}
