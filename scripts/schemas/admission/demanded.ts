import { hasRight, quoted, type Right } from './cel.ts'
import { forbidden, type Validation } from './policy.ts'

interface Demand {
  /** What of a ControlPlane needs the rights, as its user reads it: `"sync.nodes"`. */
  what: string
  /** An expression for whether the rights are needed. @default always */
  when?: string
  /** One or two: API servers check no more in one expression. */
  rights: readonly Right[]
  /** Another expression that makes up for the rights. @default none */
  unless?: string
  /** What to do instead, or more to know. @default nothing */
  hint?: string
}

/** Demands rights of who changes a ControlPlane; the message names them. */
export function demanded({ hint, rights, unless, what, when }: Demand): Validation {
  const checks = rights.map(hasRight).join(' && ')
  const alternatives = [
    ...(when === undefined ? [] : [`!(${when})`]),
    ...(unless === undefined ? [] : [unless]),
    rights.length > 1 ? `(${checks})` : checks,
  ]
  const message = [
    quoted(`${what} needs the right to ${inWords(rights)}`),
    ...nameAndPlace(rights),
    quoted(`, which you do not have: ask an administrator for it${hint ? `, or ${hint}` : ''}`),
  ]
  return forbidden(alternatives.join(' || '), message.join(' + '))
}

/** As many items as one expression can check, together. */
export function inPairs<Item>(items: readonly Item[]): Item[][] {
  return items.flatMap((_, index) => (index % 2 === 0 ? [items.slice(index, index + 2)] : []))
}

/** `get pods/log`, `create ingresses.networking.k8s.io`: as in `kubectl auth can-i`. */
export function inWords(rights: readonly Right[]): string {
  const verbs = Map.groupBy(rights, ({ group, resource }) => {
    const [kind = '', ...subresource] = resource.split('/')
    return [group === '' ? kind : `${kind}.${group}`, ...subresource].join('/')
  })
  return [...verbs]
    .map(([resource, some]) => `${some.map(({ verb }) => verb).join(', ')} ${resource}`)
    .join(' and ')
}

function nameAndPlace([right]: readonly Right[]): string[] {
  const name = right?.name === undefined ? [] : [quoted(' "'), right.name, quoted('"')]
  const place =
    right?.isClusterWide === true
      ? [quoted(' in all of the cluster')]
      : [quoted(' in namespace "'), 'request.namespace', quoted('"')]
  return [...name, ...place]
}
