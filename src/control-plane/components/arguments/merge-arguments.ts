import { VplaneError } from '../../../shared/errors.ts'
import { type ProgramName, SPEC_SECTION } from '../../plane/plane.ts'
import type { ExtraArguments } from '../../spec/spec.ts'

export interface ArgumentSources {
  component: ProgramName
  /** What the plane stands on: nobody may change it. */
  managed: ExtraArguments
  /** Managed by being left out: with them the process would not be what the plane needs. @default [] */
  unset?: readonly string[]
  /** Lists that the user's values are added to, at their end: there they win where a later value does. @default {} */
  lists?: Record<string, readonly string[]>
  /** Good choices that a user may change. */
  defaults: ExtraArguments
  user: ExtraArguments
}

/** Where a user says in the spec what a managed flag would say. */
const SPEC_FIELD_OF_FLAG: Record<string, string> = {
  'anonymous-auth': 'authentication (anonymous requests reach the health endpoints only)',
  'audit-policy-file': 'audit.policy',
  'authentication-config': 'authentication.jwt',
  'authorization-config': 'nothing yet: planes authorize by RBAC',
  'authorization-mode': 'nothing yet: planes authorize by RBAC',
  'encryption-provider-config': 'encryption.secrets',
  'etcd-prefix': 'etcd.prefix',
  'feature-gates': 'featureGates',
  'service-account-issuer': 'serviceAccountIssuer',
  'service-cluster-ip-range': 'serviceRange',
  'tls-cert-file': 'extraSans',
  'unsafe-no-fsync': 'ephemeral',
}

/**
 * The arguments of a process, sorted by name: managed flags, then the user's, then defaults that the user did not
 * name. Repeated flags stay lists; an empty list of the user's leaves a default out.
 *
 * @throws {VplaneError} `INVALID_SPEC` when the user names a managed flag, with the spec field to use instead.
 */
export function mergeArguments(sources: ArgumentSources): string[] {
  const { component, defaults, lists = {}, managed, unset = [], user } = sources
  refuseManaged(component, [...Object.keys(managed), ...unset], user)
  const joined = Object.entries(lists).map(([name, values]) => [
    name,
    [...values, ...[user[name] ?? []].flat()].join(','),
  ])
  return Object.entries<string | string[]>({
    ...defaults,
    ...user,
    ...Object.fromEntries(joined),
    ...managed,
  })
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([name, value]) => [value].flat().map((one) => `--${name}=${one}`))
}

/**
 * Refuses user flags that vplane sets itself.
 *
 * @throws {VplaneError} `INVALID_SPEC` naming the flags and the spec fields to use instead.
 */
export function refuseManaged(
  component: ProgramName,
  managed: readonly string[],
  user: ExtraArguments,
): void {
  const taken = Object.keys(user).filter((name) => managed.includes(name) || isOidc(name))
  if (taken.length > 0) {
    const flags = taken.map((name) => `"--${name}"`).join(', ')
    throw new VplaneError(
      'INVALID_SPEC',
      `${SPEC_SECTION[component]}.extraArgs may not set ${flags}: vplane manages ${taken.length > 1 ? 'them' : 'it'}`,
      {
        hints: taken.flatMap((name) => {
          const field = isOidc(name) ? 'authentication.jwt' : SPEC_FIELD_OF_FLAG[name]
          return field === undefined ? [] : [`instead of --${name} use the spec field ${field}`]
        }),
      },
    )
  }
}

/** They exclude the AuthenticationConfiguration that every plane has. */
function isOidc(name: string): boolean {
  return name.startsWith('oidc-')
}
