import type { HostSpec } from '../../control-plane/spec/fields/host-spec.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { HostedProgram } from './read-program.ts'
import type { TemplateOverlay } from './load-templates.ts'

/** What the objects of a plane depend on. */
export interface ManifestInput {
  name: string
  namespace: string
  /** The plane's id: it tells its etcd members from those of any other plane. */
  id: string
  /** With `host`: a spec that was resolved for the kubernetes driver. */
  spec: PlaneSpec
  /** Certificates and keys by the relative file names of `pki/`, and `encryption.json` when encryption is on. */
  files: Readonly<Record<string, string>>
  /** `new` until the plane has stored something, `existing` for ever after: an empty volume must not become a plane. */
  initialState: 'new' | 'existing'
  /** How many members etcd has now, while members come or go. @default as many as the spec says */
  etcdMembers?: number | undefined
  /** The ordinal of a member of etcd that is to take the data of the others. @default none */
  joining?: number | undefined
  /** The ordinals of members that etcd does not have now, as they come later. @default none */
  absent?: readonly number[] | undefined
  /** The ordinals of members that come back without data as who they were, to give etcd a majority. @default none */
  regaining?: readonly number[] | undefined
  /** A plane that rests has no pods. */
  desired: 'running' | 'paused'
  /** Templates that replace or add to vplane's own. */
  templates?: TemplateOverlay | undefined
  /** The host decides on user and group ids itself, as those with `security.openshift.io` do. @default false */
  hostGivesIds?: boolean
  /** Gives a program of ours, compressed with gzip, in base64. @default what was built */
  programOf?: (program: HostedProgram) => string
}

/**
 * The part of the spec that a plane in a host namespace always has.
 *
 * @throws {Error} when the spec was resolved for another driver: a bug.
 */
export function hostOf({ host }: PlaneSpec): HostSpec {
  if (host === undefined) {
    throw new Error('the spec of a plane in a host namespace has a host section')
  }
  return host
}
