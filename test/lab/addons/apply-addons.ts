import { readFileSync } from 'node:fs'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { isKubeObject, type KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { parseYamlDocuments } from '../../../src/shared/yaml/yaml.ts'
import { COREDNS_IMAGE } from '../images/lab-images.ts'
import { objectPath } from './object-path.ts'
import { isRecord } from '../../../src/shared/json-fields.ts'

/** Gives a cluster its DNS and its StorageClasses. */
export async function applyAddons(client: KubeClient, signal: AbortSignal): Promise<void> {
  await applyObjects(client, ['coredns.yaml', 'storage-classes.yaml'].flatMap(addonObjects), signal)
}

/** Applies objects one after the other. */
export async function applyObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    await client.apply(objectPath(object), object, { signal })
  }
}

/** The objects of an addon, with the lab's image in them. */
export function addonObjects(file: string): KubeObject[] {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const filled = text.replaceAll('${coredns}', COREDNS_IMAGE)
  return parseYamlDocuments(filled, file).filter(isKubeObject)
}

/** Returns whether all replicas of a Deployment are available. */
export async function isDeployed(
  client: KubeClient,
  [namespace, name]: readonly [string, string],
  signal: AbortSignal,
): Promise<boolean> {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`
  const status = (await client.get(path, { signal }))?.['status']
  return isRecord(status) && Number(status['availableReplicas'] ?? 0) > 0
}
