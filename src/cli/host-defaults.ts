import type { UserSpec } from '../control-plane/spec.ts'
import type { Settings } from './settings.ts'

/** A spec for a plane in a host cluster, with the user's own defaults where it says nothing. */
export function withHostDefaults(
  spec: UserSpec,
  {
    imageRegistry,
    preset,
    storageClass,
  }: Pick<Settings, 'imageRegistry' | 'preset' | 'storageClass'>,
): UserSpec {
  const takesVolumes = spec.ephemeral !== true
  return {
    ...(preset === undefined ? {} : { preset }),
    ...spec,
    ...(storageClass === undefined || !takesVolumes
      ? {}
      : { storage: { className: storageClass, ...spec.storage } }),
    ...(imageRegistry === undefined ? {} : { images: { registry: imageRegistry, ...spec.images } }),
  }
}
