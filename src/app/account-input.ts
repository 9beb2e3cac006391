import { readParameters } from '../engine/read-parameters.ts';
import { createAccountInput } from '../features/ads/administration/account-input.ts';
import { settingsTable } from '../settings.ts';

/** Reads the account forms of operators, with the engine's validation and the bounds of the settings. */
export const accountInput = createAccountInput({
  readParameters,
  limitBounds: (setting) => settingsTable[setting].bounds!,
});
