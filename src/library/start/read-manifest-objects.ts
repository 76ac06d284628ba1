import { fileURLToPath } from 'node:url'
import { type KubeObject, isWholeObject } from '../../shared/kube/kube-object.ts'
import { readManifests } from '../../compose/read-manifests.ts'
import { VplaneError } from '../../shared/errors.ts'
import type { Ui } from '../../shared/ui.ts'
import type { Manifests } from '../types/start-options.ts'

/**
 * @throws {VplaneError} `INVALID_SPEC` with `source` and a number for what is no Kubernetes object, and as
 * `readManifests` does.
 */
export async function readManifestObjects(
  manifests: Manifests,
  { source, ui }: { source: string; ui: Ui },
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  for (const [index, manifest] of manifests.entries()) {
    if (typeof manifest === 'string' || manifest instanceof URL) {
      const path = typeof manifest === 'string' ? manifest : fileURLToPath(manifest)
      objects.push(...(await readManifests([path], ui)))
    } else {
      objects.push(toKubeObject(manifest, `${source}[${index}]`))
    }
  }
  return objects
}

/** Converts an object to JSON: those of client libraries have dates and undefined fields. */
function toKubeObject(manifest: object, source: string): KubeObject {
  const value: unknown = JSON.parse(JSON.stringify(manifest))
  if (!isWholeObject(value)) {
    const message = `${source} is not a Kubernetes object: it needs apiVersion, kind and metadata`
    throw new VplaneError('INVALID_SPEC', message)
  }
  return value
}
