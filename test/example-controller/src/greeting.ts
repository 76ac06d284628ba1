import type { V1ObjectMeta } from '@kubernetes/client-node'

export const GROUP = 'example.com'
export const VERSION = 'v1'
export const PLURAL = 'greetings'

/** Says who is to be greeted; the controller keeps a ConfigMap of the same name with the text. */
export interface Greeting {
  apiVersion?: string
  kind?: string
  metadata: V1ObjectMeta
  spec: { whom: string }
  status?: { ready?: boolean }
}

/** The text for a greeting. */
export function textOf({ spec }: Greeting): string {
  return `Hello, ${spec.whom}!`
}
