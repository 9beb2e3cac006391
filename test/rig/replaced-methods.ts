/** An object with other methods in place of some of its own, which work on the object itself. */
export function withMethods<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const member = Reflect.get(name in methods ? methods : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
