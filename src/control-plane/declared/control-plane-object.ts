import type { UserSpec } from '../spec/spec.ts'

/** The ControlPlane that declares a plane. */
export function controlPlaneObject(
  { name, namespace }: { name: string; namespace: string },
  spec: UserSpec,
) {
  const metadata = { name, namespace }
  return { apiVersion: 'vplane.dev/v1beta1', kind: 'ControlPlane', metadata, spec }
}
