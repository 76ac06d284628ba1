/** A right as RBAC grants it. */
export interface Right {
  verb: string
  /** Empty for the core group. */
  group: string
  /** With a subresource after a slash: `pods/log`. */
  resource: string
  /** An expression for the name of the only object. @default all objects */
  name?: string
  /** @default only in the namespace of the request */
  isClusterWide?: boolean
}

/** An expression about a spec, for the new or the old one. */
export type OfSpec = (spec: string) => string

/** A text as a literal of CEL. */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}

/** Whether the user of the request has a right. An API server evaluates at most two of these in one expression. */
export function hasRight({ group, isClusterWide, name, resource, verb }: Right): string {
  const [kind = '', subresource] = resource.split('/')
  return [
    `authorizer.group(${quoted(group)}).resource(${quoted(kind)})`,
    ...(subresource === undefined ? [] : [`subresource(${quoted(subresource)})`]),
    ...(isClusterWide === true ? [] : ['namespace(request.namespace)']),
    ...(name === undefined ? [] : [`name(${name})`]),
    `check(${quoted(verb)}).allowed()`,
  ].join('.')
}

/** Whether a change brings something in: the new spec has it, and the old one does not, or there is none. */
export function begins(has: OfSpec): string {
  return `${has('object.spec')} && (oldObject == null || !${has('oldObject.spec')})`
}

/** The items of a list that a change adds. */
export function added(list: OfSpec): string {
  return `${list('object.spec')}.filter(item, oldObject == null || !(item in ${list('oldObject.spec')}))`
}

/** The value at a path of a spec: `.?sync.?nodes.orValue(false)`. */
export function at(path: string, otherwise: string): OfSpec {
  const fields = path.split('.').map((field) => `.?${field}`)
  return (spec) => `${spec}${fields.join('')}.orValue(${otherwise})`
}

/** Whether a spec has something at a path. */
export function has(path: string): OfSpec {
  const fields = path.split('.').map((field) => `.?${field}`)
  return (spec) => `${spec}${fields.join('')}.hasValue()`
}

/** Whether a plane runs pods. */
export const runsPods: OfSpec = (spec) =>
  `(has(${spec}.sync) && ${at('sync.enabled', 'true')(spec)})`

/** Whether a plane stores its data in volumes. */
export const hasVolumes: OfSpec = (spec) => {
  const others = [at('ephemeral', 'false'), has('store.kine.postgres'), has('store.kine.mysql')]
  return `!(${others.map((isOther) => isOther(spec)).join(' || ')})`
}
