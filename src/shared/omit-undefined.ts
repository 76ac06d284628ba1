/** `Fields` with each field that may be undefined as an optional one. */
type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name]
} & {
  [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<
    Fields[Name],
    undefined
  >
}

/** A copy without the fields whose value is undefined, in the same order. */
export function omitUndefined<Fields extends object>(fields: Fields): Defined<Fields>
/** A copy without the fields whose value is undefined, in the same order. */
export function omitUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
