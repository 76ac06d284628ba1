import type { UserSpec } from '../../control-plane/spec/spec.ts'
import type { Settings } from '../settings/settings.ts'

/** The spec of a plane in a host cluster, with the user's settings for fields that it leaves out. */
export function withHostDefaults(
  spec: UserSpec,
  {
    helperImage,
    imageRegistry,
    preset,
    storageClass,
  }: Pick<Settings, 'helperImage' | 'imageRegistry' | 'preset' | 'storageClass'>,
): UserSpec {
  const images = {
    ...(imageRegistry === undefined ? {} : { registry: imageRegistry }),
    ...(helperImage === undefined ? {} : { helper: helperImage }),
  }
  const takesVolumes = spec.ephemeral !== true
  return {
    ...(preset === undefined ? {} : { preset }),
    ...spec,
    ...(storageClass === undefined || !takesVolumes
      ? {}
      : { storage: { className: storageClass, ...spec.storage } }),
    ...(Object.keys(images).length === 0 ? {} : { images: { ...images, ...spec.images } }),
  }
}
