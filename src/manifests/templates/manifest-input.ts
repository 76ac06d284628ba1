import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import { runsWhilePaused } from '../../control-plane/plane/runs-while-paused.ts'
import type { HostSpec } from '../../control-plane/spec/fields/host-spec.ts'
import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import type { PodPlace } from '../pod-layout.ts'
import type { HostedProgram, TemplateOverlay } from './load-templates.ts'

export interface ManifestInput extends PodPlace {
  /** Certificates and keys by the relative file names of `pki/`, and `encryption.json` when encryption is on. */
  files: Readonly<Record<string, string>>
  /** A paused plane has no pods. */
  desired: 'running' | 'paused'
  /** Whether it was created paused and not started since: then even etcd of an ephemeral plane has no pods. @default false */
  neverStarted?: boolean | undefined
  /** Whether a paused plane has paused itself. @default false */
  isAsleep?: boolean | undefined
  /** Templates that replace or add to vplane's own. */
  templates?: TemplateOverlay | undefined
  /** Whether the host assigns user and group ids itself, as hosts with `security.openshift.io` do. @default false */
  hostGivesIds?: boolean
  /** Like `readProgram`. @default the built program */
  programOf?: (program: HostedProgram) => string
}

/** Whether a component has pods in the desired state of its plane. */
export function hasPods(
  { desired, neverStarted = false, spec }: Pick<ManifestInput, 'desired' | 'neverStarted' | 'spec'>,
  component: AnyComponentName,
): boolean {
  return desired === 'running' || (!neverStarted && runsWhilePaused(spec, component))
}

/** Only the spec of another driver has no `host`, which is a bug here. */
export function hostOf({ host }: PlaneSpec): HostSpec {
  if (host === undefined) {
    throw new Error('the spec of a plane in a host namespace has a host section')
  }
  return host
}
