import type { CredentialSpec } from '../../control-plane/spec/credentials/credentials-spec.ts'
import type { CredentialsStatus } from '../../control-plane/status/plane-figures.ts'
import { httpStatusOf } from '../../kube/kube-error.ts'
import {
  credentialChecksum,
  type CredentialNotes,
  credentialNamespace,
  credentialNotes,
  credentialSecret,
  signerOf,
  isEmptySecret,
} from '../../manifests/credentials/credential-secret.ts'
import { checksumOf } from '../../manifests/pod-files.ts'
import { isVplaneError, messageOf, VplaneError } from '../../shared/errors.ts'
import { objectPath } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import type {
  CredentialDependencies,
  CredentialEntry,
  CredentialPlane,
  CredentialTrust,
} from './credential-dependencies.ts'
import type { Duty } from './duty.ts'

/** The time until the next check, in milliseconds. */
const INTERVAL_MS = { current: 15_000, failed: 5000 } as const

/** How often the plane is asked whether it still has what belongs to a credential, in milliseconds. */
const GRANT_INTERVAL_MS = 3_600_000

/** How long a plane may be unreachable, such as while it starts, before that is a failure, in milliseconds. */
const START_MS = 120_000

/**
 * Keeps the Secrets with credentials for a plane: writes those that are missing or were changed, and renews each after
 * half of its lifetime, and when the keys or the address of the plane have changed. It never changes a Secret with other
 * content.
 */
export class CredentialSecrets implements Duty {
  readonly #plane: CredentialPlane
  readonly #deps: CredentialDependencies
  readonly #grantedAt = new Map<string, Date>()
  readonly #failures = new Map<string, { message: string; since: Date; isUnreachable: boolean }>()

  constructor(plane: CredentialPlane, deps: CredentialDependencies) {
    this.#plane = plane
    this.#deps = deps
  }

  get status(): CredentialsStatus {
    const now = this.#deps.now().getTime()
    const failures = [...this.#failures]
      .filter(([, one]) => !one.isUnreachable || now - one.since.getTime() >= START_MS)
      .map(([entry, { message }]) => ({ entry, message }))
    return { failures }
  }

  async reconcile(signal: AbortSignal): Promise<Date> {
    const { now } = this.#deps
    const entries = Object.entries(this.#plane.credentials)
    await Promise.all(entries.map(([entry, spec]) => this.#attempt(entry, spec, signal)))
    const interval = this.#failures.size === 0 ? INTERVAL_MS.current : INTERVAL_MS.failed
    return new Date(now().getTime() + interval)
  }

  /** A failure becomes the status, which `PlaneWatch` reports as an alarm. */
  async #attempt(entry: string, spec: CredentialSpec, signal: AbortSignal): Promise<void> {
    try {
      await this.#ensure(entry, spec, signal)
      this.#failures.delete(entry)
    } catch (error) {
      signal.throwIfAborted()
      this.#failures.set(entry, {
        message: `Secret "${spec.secret}": ${this.#reasonOf(error, spec)}`,
        since: this.#failures.get(entry)?.since ?? this.#deps.now(),
        isUnreachable: isUnreachable(error),
      })
    }
  }

  async #ensure(entry: string, spec: CredentialSpec, signal: AbortSignal): Promise<void> {
    const { host, now, servers, trust } = this.#deps
    const namespace = credentialNamespace(spec, this.#plane.namespace)
    const path = objectPath('secrets', { name: spec.secret, namespace })
    const found = await host.get(path, { signal })
    const notes = found && credentialNotes(found)
    this.#refuseOther(entry, { found, notes })
    await this.#needPermission(spec, found, signal)
    const trusted = await trust()
    const candidates = (await servers(spec.address, signal)).map((server) => ({
      server,
      checksum: addressChecksum(server, trusted),
    }))
    const isCurrent =
      notes !== undefined &&
      notes.entry === entry &&
      notes.isUnchanged &&
      notes.specChecksum === credentialChecksum(spec) &&
      notes.signedBy === signerOf(spec, trusted) &&
      candidates.some(({ checksum }) => checksum === notes.addressChecksum) &&
      now() < notes.renewAt &&
      (await this.#isGranted({ entry, spec, subjectId: notes.subjectId }, signal))
    const [target] = candidates
    if (target === undefined) {
      throw new VplaneError('UNREACHABLE', 'the control plane has no address for it yet')
    }
    if (!isCurrent) {
      const secret = await this.#issued({ entry, spec, trusted, ...target }, signal)
      await host.apply(path, withVersion(secret, found), { signal, force: found !== undefined })
      this.#reportIssued(`${namespace}/${spec.secret}`, notes)
    }
  }

  async #issued(
    wanted: {
      entry: string
      spec: CredentialSpec
      server: string
      checksum: string
      trusted: CredentialTrust
    },
    signal: AbortSignal,
  ): Promise<KubeObject> {
    const { checksum, entry, server, spec, trusted } = wanted
    const { id: planeId, name, namespace: planeNamespace } = this.#plane
    const issuedAt = this.#deps.now()
    const { credential, ...issued } = await this.#deps.issue({ entry, spec }, signal)
    this.#grantedAt.set(entry, issuedAt)
    const renewAt = new Date((issuedAt.getTime() + issued.expiresAt.getTime()) / 2)
    const { certificateAuthority } = trusted
    return credentialSecret({
      owner: { plane: name, planeNamespace, planeId, entry },
      spec,
      content: { name, server, certificateAuthority, credential },
      notes: { addressChecksum: checksum, ...issued, renewAt },
    })
  }

  async #isGranted(
    entry: CredentialEntry & Pick<CredentialNotes, 'subjectId'>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { isGranted, now } = this.#deps
    const checkedAt = this.#grantedAt.get(entry.entry)?.getTime() ?? -Infinity
    if (now().getTime() - checkedAt < GRANT_INTERVAL_MS) {
      return true
    }
    const is = await isGranted(entry, signal)
    if (is) {
      this.#grantedAt.set(entry.entry, now())
    }
    return is
  }

  /** @throws {VplaneError} `CONFLICT` when a Secret has content that is not of this plane and entry. */
  #refuseOther(
    entry: string,
    { found, notes }: { found: KubeObject | undefined; notes: CredentialNotes | undefined },
  ): void {
    const { credentials, id } = this.#plane
    if (found === undefined || (notes === undefined && isEmptySecret(found))) {
      return
    }
    if (notes === undefined) {
      throw new VplaneError('CONFLICT', 'it exists already, with content that vplane did not write')
    }
    if (notes.planeId !== id) {
      throw new VplaneError('CONFLICT', 'it has the credential of another control plane')
    }
    if (notes.entry !== entry && credentials[notes.entry] !== undefined) {
      throw new VplaneError('CONFLICT', `it has the credential "${notes.entry}"`)
    }
  }

  async #needPermission(
    { namespace = this.#plane.namespace, secret: name }: CredentialSpec,
    found: KubeObject | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { isPermitted } = this.#deps
    const verb = found === undefined ? 'create' : 'patch'
    if (
      isPermitted !== undefined &&
      namespace !== this.#plane.namespace &&
      !(await isPermitted({ name, namespace, verb }, signal))
    ) {
      throw new VplaneError('FAILED', this.#notPermitted(namespace))
    }
  }

  #reasonOf(error: unknown, { namespace = this.#plane.namespace }: CredentialSpec): string {
    return httpStatusOf(error) === 403 && namespace !== this.#plane.namespace
      ? this.#notPermitted(namespace)
      : messageOf(error)
  }

  #notPermitted(namespace: string): string {
    return `the namespace "${namespace}" has no such Secret, or does not permit ${this.#deps.account} to get and patch it`
  }

  #reportIssued(secret: string, former: CredentialNotes | undefined): void {
    const message = `${former === undefined ? 'wrote' : 'renewed'} the credential in the Secret "${secret}"`
    this.#deps.report({ level: 'normal', reason: 'CredentialIssued', message })
  }
}

function addressChecksum(server: string, { certificateAuthority }: CredentialTrust): string {
  return checksumOf({ server, certificateAuthority })
}

/** Another writer makes the request fail: the next check sees what it wrote. */
function withVersion(secret: KubeObject, found: KubeObject | undefined): KubeObject {
  const resourceVersion = found?.metadata.resourceVersion
  return resourceVersion === undefined
    ? secret
    : { ...secret, metadata: { ...secret.metadata, resourceVersion } }
}

function isUnreachable(error: unknown): boolean {
  return isVplaneError(error, 'UNREACHABLE', 'TIMED_OUT')
}
