import { VplaneError } from '../../../shared/errors.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import { formatDuration } from '../../../shared/text/duration.ts'
import { waitFor } from '../../../shared/wait.ts'
import type { Driver } from '../../driver/driver.ts'
import type { Plane } from '../../plane/plane.ts'
import type {
  CredentialAddress,
  CredentialFormat,
} from '../../spec/credentials/credentials-spec.ts'
import { setSpecFields } from '../../spec/parse-spec.ts'
import type { UserSpec } from '../../spec/spec.ts'
import {
  type ChangeDependencies,
  changeControlPlane,
  type ChangeOptions,
  type ChangeResult,
} from '../change/change-control-plane.ts'
import { resolvePlane } from '../find/resolve-plane.ts'
import type { GrantRequest } from './grant-access.ts'

/** A Secret of the host cluster. */
export interface SecretPlace {
  name: string
  /** @default the host namespace of the plane */
  namespace?: string | undefined
}

export interface WantedCredential {
  secret: SecretPlace
  format?: CredentialFormat | undefined
  address?: CredentialAddress | undefined
  grant: GrantRequest
}

export interface WrittenSecret extends ChangeResult {
  /** The name of its entry in the spec. */
  entry: string
  secret: { name: string; namespace: string }
}

/** A failure that is older than the change is gone after this time, in milliseconds. */
const PATIENCE_MS = 12_000

/**
 * Adds a Secret to the `credentials` of a plane, and waits until it has the credential. The same call continues to wait.
 * @throws {VplaneError} as `changeControlPlane` does, `FAILED` when the Secret cannot be written, `TIMED_OUT`.
 */
export async function writeCredential(
  deps: ChangeDependencies,
  wanted: WantedCredential,
  options: ChangeOptions,
): Promise<WrittenSecret> {
  let entry = ''
  const result = await changeControlPlane(
    deps,
    (plane) => {
      entry = entryFor(plane, wanted.secret)
      const value = JSON.stringify(entryOf(plane, wanted))
      return setSpecFields(plane.userSpec, [`credentials.${entry}=${value}`])
    },
    options,
  )
  const { driver, plane } = await resolvePlane(deps, options)
  const { name, namespace = plane.namespace ?? '' } = wanted.secret
  const written = { ...result, plane, entry, secret: { name, namespace } }
  if (options.isDryRun === true) {
    return written
  }
  if (plane.desired !== 'running') {
    deps.ui.note(`"${plane.name}" is paused: the Secret is written when it runs.`)
    return written
  }
  deps.ui.step(`Waiting for the Secret "${name}"`)
  await waitUntilWritten({ driver, ui: deps.ui, ...written }, options)
  return written
}

/** The objects by which a namespace permits a plane to write a Secret. @throws {VplaneError} `USAGE` when none are needed. */
export async function credentialGrant(
  deps: ChangeDependencies,
  { name, namespace }: SecretPlace,
  options: ChangeOptions,
): Promise<{ plane: Plane; objects: object[] }> {
  const { driver, plane } = await resolvePlane(deps, options)
  if (
    driver.credentials === undefined ||
    namespace === undefined ||
    namespace === plane.namespace
  ) {
    const message = `"${plane.name}" needs no permission for the Secret "${name}": only one of another namespace needs it`
    throw new VplaneError('USAGE', message)
  }
  return { plane, objects: await driver.credentials.grant(plane, { name, namespace }) }
}

/** The entry of the spec for this Secret; a new one is named after it. */
function entryFor({ namespace: own, userSpec }: Plane, { name, namespace = own }: SecretPlace) {
  const entries = Object.entries(userSpec.credentials ?? {})
  const known = entries.find(
    ([entry, { namespace: other = own, secret = entry }]) => secret === name && other === namespace,
  )
  const short = toEntryName(name)
  const isTaken = entries.some(([entry]) => entry === short)
  return known?.[0] ?? (isTaken ? toEntryName(`${namespace}-${name}`) : short)
}

function toEntryName(text: string): string {
  return text.replaceAll('.', '-').slice(0, 63).replace(/-+$/, '')
}

function entryOf(
  { namespace: own }: Plane,
  { address, format, grant, secret: { name, namespace } }: WantedCredential,
): NonNullable<UserSpec['credentials']>[string] {
  const { clusterRole, lifetimeMs, subject } = grant
  const identity =
    'serviceAccount' in subject
      ? { serviceAccount: `${subject.namespace}/${subject.serviceAccount}` }
      : {
          user: subject.user,
          groups: subject.groups.length === 0 ? undefined : [...subject.groups],
        }
  return omitUndefined({
    secret: name,
    namespace: namespace === own ? undefined : namespace,
    format,
    ...identity,
    clusterRole,
    address,
    lifetime: formatDuration(lifetimeMs),
  })
}

async function waitUntilWritten(
  {
    driver,
    entry,
    plane,
    secret,
    ui,
  }: Pick<WrittenSecret, 'entry' | 'plane' | 'secret'> & {
    driver: Driver
    ui: ChangeDependencies['ui']
  },
  { signal, timeoutMs }: Pick<ChangeOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  const { credentials } = driver
  if (credentials === undefined) {
    throw new TypeError('a plane of this driver has no credentials in its spec')
  }
  const startedAt = performance.now()
  await waitFor(
    async (deadline) => {
      const { failure, isWritten } = await credentials.state(plane, entry, deadline)
      if (isWritten === undefined && failure === undefined) {
        ui.note(
          `You may not read the Secret "${secret.name}": it is not known whether it is written.`,
        )
        return true
      }
      if (
        isWritten !== true &&
        failure !== undefined &&
        performance.now() - startedAt > PATIENCE_MS
      ) {
        throw new VplaneError('FAILED', failure, { hints: hintsFor(plane, secret) })
      }
      return isWritten
    },
    {
      what: `the credential in the Secret "${secret.name}"`,
      timeoutMs,
      intervalMs: 200,
      signal,
      hints: [{ action: 'describe', plane: { name: plane.name } }],
    },
  )
}

function hintsFor(plane: Plane, { name, namespace }: WrittenSecret['secret']) {
  const { name: planeName } = plane
  return namespace === plane.namespace
    ? [{ action: 'describe' as const, plane: { name: planeName } }]
    : [
        {
          action: 'print-kubeconfig' as const,
          purpose: `to print the objects that permit it, for the owner of "${namespace}"`,
          plane: { name: planeName, namespace: plane.namespace },
          secret: `${namespace}/${name}`,
          printGrant: true,
        },
      ]
}
