import hooks from 'node:async_hooks';

/** What `node:test` follows promises with. */
let followers: hooks.AsyncHook | undefined;

const { createHook } = hooks;
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook;
  followers = createHook(callbacks);
  return followers;
};

/**
 * Whether `node:test` follows every promise from its making to its end. It must while suites are declared, to know in which of
 * them. While tests run it serves only to tell which of them an error comes from that nobody awaits, and takes a fifth of
 * the processor time; such an error still fails the run, with its stack and the file that ran. This module must be loaded before `node:test`.
 */
export function followPromises(areFollowed: boolean): void {
  if (areFollowed) followers?.enable();
  else followers?.disable();
}
