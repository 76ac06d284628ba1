import { VplaneError } from '../../../shared/errors.ts'
import { type ProgramName, SPEC_SECTION } from '../../plane/plane.ts'
import type { ExtraArguments } from '../../spec/spec.ts'

export interface ArgumentSources {
  component: ProgramName
  /** Flags that a user must not change. */
  managed: ExtraArguments
  /** Flags that must not be set, by vplane or by a user. @default [] */
  unset?: readonly string[]
  /** Lists to which the user's values are appended, because a later value overrides an earlier one. @default {} */
  lists?: Record<string, readonly string[]>
  defaults: ExtraArguments
  user: ExtraArguments
}

/** The field of a spec that a user sets instead of a managed flag. */
const SPEC_FIELD_OF_FLAG: Record<string, string> = {
  'anonymous-auth': 'authentication (anonymous requests reach the health endpoints only)',
  'audit-policy-file': 'audit.policy',
  'authentication-config': 'authentication.jwt',
  'encryption-provider-config': 'encryption.secrets',
  'etcd-prefix': 'etcd.prefix',
  'feature-gates': 'featureGates',
  'service-account-issuer': 'serviceAccountIssuer',
  'service-cluster-ip-range': 'serviceRange',
  'tls-cert-file': 'extraSans',
  'unsafe-no-fsync': 'ephemeral',
}

/**
 * The arguments of a process, sorted by name: managed flags, the user's flags, and defaults that the user did not set.
 * A list repeats its flag; an empty list of the user removes a default.
 * @throws {VplaneError} `INVALID_SPEC` as `refuseManaged` does.
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

/** The argument that sets feature gates, if there are any. */
export function featureGates(gates: Readonly<Record<string, boolean>>): Record<string, string> {
  const settings = Object.entries(gates).map(([name, isEnabled]) => `${name}=${isEnabled}`)
  return settings.length > 0 ? { 'feature-gates': settings.join(',') } : {}
}

/** @throws {VplaneError} `INVALID_SPEC` with the managed flags, and the fields to set instead. */
export function refuseManaged(
  component: ProgramName,
  managed: readonly string[],
  user: ExtraArguments,
): void {
  const refused = Object.keys(user).filter((name) => managed.includes(name) || isOidc(name))
  if (refused.length > 0) {
    const flags = refused.map((name) => `"--${name}"`).join(', ')
    const message = `${SPEC_SECTION[component]}.extraArgs may not set ${flags}: vplane manages ${refused.length > 1 ? 'them' : 'it'}`
    throw new VplaneError('INVALID_SPEC', message, { hints: refused.flatMap(hintsFor) })
  }
}

function hintsFor(name: string): string[] {
  if (name === 'authorization-config' || name === 'authorization-mode') {
    return [`--${name} cannot change: planes authorize with RBAC`]
  }
  const field = isOidc(name) ? 'authentication.jwt' : SPEC_FIELD_OF_FLAG[name]
  return field === undefined ? [] : [`instead of --${name} use the spec field ${field}`]
}

/** kube-apiserver does not accept them together with the AuthenticationConfiguration that every plane has. */
function isOidc(name: string): boolean {
  return name.startsWith('oidc-')
}
