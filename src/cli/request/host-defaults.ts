import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { Settings } from '../settings/settings.ts'

export type HostDefaults = Pick<
  Settings,
  'helperImage' | 'imageRegistry' | 'preset' | 'storageClass'
>

/** The spec of a plane in a host cluster, with the user's settings for fields that it leaves out. */
export function withHostDefaults(
  spec: UserSpec,
  { helperImage, imageRegistry, preset, storageClass }: HostDefaults,
): UserSpec {
  const images = omitUndefined({ registry: imageRegistry, helper: helperImage })
  return {
    ...omitUndefined({ preset }),
    ...spec,
    ...(storageClass === undefined || spec.ephemeral === true
      ? {}
      : { storage: { className: storageClass, ...spec.storage } }),
    ...(Object.keys(images).length === 0 ? {} : { images: { ...images, ...spec.images } }),
  }
}
