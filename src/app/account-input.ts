import { readParameters } from '../engine/read-parameters.ts';
import { accountInputOf } from '../features/ads/administration/account-input.ts';
import { settingsTable } from '../settings.ts';

/** Reads the account forms of operators, with the engine's validation and the bounds of the settings. */
export const accountInput = accountInputOf({
  readParameters,
  limitBounds: (setting) => settingsTable[setting].bounds!,
});
