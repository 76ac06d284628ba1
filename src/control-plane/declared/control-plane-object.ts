import type { UserSpec } from '../spec/spec.ts'

/** What a ControlPlane says of its plane. */
export interface DeclaredSpec extends UserSpec {
  /** Nothing of it runs. @default false */
  paused?: boolean
}

/** The ControlPlane that declares a plane. */
export function controlPlaneObject(
  { name, namespace }: { name: string; namespace: string },
  spec: DeclaredSpec,
) {
  const metadata = { name, namespace }
  return { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlane', metadata, spec }
}
