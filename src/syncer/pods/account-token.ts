import type { KubeClient } from '../../kube/client/client.ts'
import { unlessStatus } from '../../kube/kube-error.ts'
import { isRecord, type KubeObject } from '../../kube/kube-object.ts'

/** On the Secret of a token: when it has to be replaced. */
export const RENEW_AT = 'vplane.dev/renew-at'

/** Of a token's life, as the kubelet does it. */
const RENEW_AFTER = 0.8

/** A token of a virtual service account that a pod mounts. */
export interface TokenRequest {
  account: string
  audience?: string | undefined
  expirationSeconds: number
}

export interface IssuedToken {
  token: string
  renewAt: Date
}

/**
 * A token for a pod, from the plane: it ends with the pod, and at the time that the pod asks for.
 *
 * @returns undefined when there is no such service account yet.
 */
export async function requestToken(
  plane: Pick<KubeClient, 'create'>,
  { account, audience, expirationSeconds, pod }: TokenRequest & { pod: KubeObject },
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<IssuedToken | undefined> {
  const { name = '', namespace = '', uid } = pod.metadata
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: {
      audiences: audience === undefined ? [] : [audience],
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  }
  const answer = await unlessStatus([404], plane.create(path, request, { signal }))
  if (answer === undefined) {
    return undefined
  }
  const status = isRecord(answer['status']) ? answer['status'] : {}
  const expiresAt = new Date(String(status['expirationTimestamp'])).getTime()
  return {
    token: String(status['token']),
    renewAt: new Date(now.getTime() + (expiresAt - now.getTime()) * RENEW_AFTER),
  }
}

/** Tells whether the token in a Secret has lived for long enough. */
export function isDue(secret: KubeObject, now: Date): boolean {
  const at = new Date(secret.metadata.annotations?.[RENEW_AT] ?? '').getTime()
  return !(at > now.getTime())
}
