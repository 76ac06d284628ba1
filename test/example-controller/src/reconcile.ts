import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { type Greeting, GROUP, PLURAL, textOf, VERSION } from './greeting.ts'

const APPLY = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply)
const AS_OWNER = { fieldManager: 'greeting-controller', force: true }
const RESOURCE = { group: GROUP, version: VERSION, plural: PLURAL }

export interface GreetingKey {
  namespace: string
  name: string
}

/** Makes the world equal to what one greeting says, whatever happened to it before. */
export async function reconcile(config: KubeConfig, key: GreetingKey): Promise<void> {
  const greeting = await find(config, key)
  if (greeting === undefined) {
    // Kubernetes removes its ConfigMap: it is owned by it.
    return
  }
  await applyConfigMap(config, greeting, key)
  if (greeting.status?.ready !== true) {
    await applyStatus(config, key)
  }
}

async function find(config: KubeConfig, key: GreetingKey): Promise<Greeting | undefined> {
  try {
    const api = config.makeApiClient(CustomObjectsApi)
    return await api.getNamespacedCustomObject({ ...RESOURCE, ...key })
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) {
      return undefined
    }
    throw error
  }
}

async function applyConfigMap(
  config: KubeConfig,
  greeting: Greeting,
  key: GreetingKey,
): Promise<void> {
  const owner = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Greeting', name: key.name }
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: key.name, ownerReferences: [{ ...owner, uid: greeting.metadata.uid }] },
    data: { text: textOf(greeting) },
  }
  const api = config.makeApiClient(CoreV1Api)
  await api.patchNamespacedConfigMap({ ...key, ...AS_OWNER, body }, APPLY)
}

async function applyStatus(config: KubeConfig, key: GreetingKey): Promise<void> {
  const body = {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'Greeting',
    metadata: { name: key.name },
    status: { ready: true },
  }
  const api = config.makeApiClient(CustomObjectsApi)
  await api.patchNamespacedCustomObjectStatus({ ...RESOURCE, ...key, ...AS_OWNER, body }, APPLY)
}
