import type { PlaneApi } from '../../control-plane/api/plane-api.ts'
import { isRolled } from '../../drivers/kubernetes/observed/is-rolled.ts'
import { VplaneError } from '../../shared/errors.ts'
import { numberAt, recordsAt, textAt } from '../../shared/json-fields.ts'
import { isWholeObject, type KubeObject } from '../../shared/kube/kube-object.ts'
import { parseYamlDocuments } from '../../shared/yaml/yaml.ts'

/** The objects of an addon of a template. @throws {VplaneError} `INVALID_SPEC` when they are not whole objects. */
function objectsOf(addon: Record<string, unknown>): KubeObject[] {
  const source = `addon "${textAt(addon, 'name')}"`
  return parseYamlDocuments(textAt(addon, 'manifests') ?? '', source).map((document) => {
    if (!isWholeObject(document) || document.metadata.name === undefined) {
      throw new VplaneError('INVALID_SPEC', `${source} has an object without kind or name`)
    }
    return document
  })
}

/**
 * Applies the addons of a template to the API of a nested control plane, one after the other.
 * @returns what they wait for, in words; nothing when all of their workloads are ready.
 * @throws {VplaneError} `INVALID_SPEC` when one is not valid, and the refusal of the API.
 */
export async function applyAddons(
  api: Pick<PlaneApi, 'apply' | 'get'>,
  template: KubeObject,
  signal: AbortSignal,
): Promise<string[]> {
  const waiting: string[] = []
  for (const addon of recordsAt(template, 'spec', 'addons')) {
    for (const object of objectsOf(addon)) {
      const applied = await api.apply(await pathOf(api, object, signal), object, { signal })
      if (!isReady(applied)) {
        waiting.push(`${object.kind} "${object.metadata.name}" of addon "${textAt(addon, 'name')}"`)
      }
    }
  }
  return waiting
}

/** The path of an object by what the API says about its kind. */
async function pathOf(
  api: Pick<PlaneApi, 'get'>,
  { apiVersion, kind, metadata: { name, namespace = 'default' } }: KubeObject,
  signal: AbortSignal,
): Promise<string> {
  const root = `/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`
  const known = recordsAt(await api.get(root, { signal }), 'resources')
  const found = known.find((one) => one['kind'] === kind && !String(one['name']).includes('/'))
  if (found === undefined) {
    throw new VplaneError(
      'INVALID_SPEC',
      `the control plane has no kind "${kind}" in ${apiVersion}`,
    )
  }
  const place = found['namespaced'] === true ? `/namespaces/${namespace}` : ''
  return `${root}${place}/${String(found['name'])}/${encodeURIComponent(name ?? '')}`
}

function isReady(object: KubeObject): boolean {
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return isRolled(object)
    case 'DaemonSet': {
      const wanted = numberAt(object, 'status', 'desiredNumberScheduled')
      return wanted !== undefined && numberAt(object, 'status', 'numberReady') === wanted
    }
    default:
      return true
  }
}
