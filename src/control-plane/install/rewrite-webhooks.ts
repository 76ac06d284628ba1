import { fieldAt, isRecord, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/** Where the server listens that is to answer instead of Services. */
export interface WebhookTarget {
  /** Host name or address: one that is in the server's certificate. */
  host: string
  port: number
  /** CA bundle that the API server trusts there, PEM. */
  certificateAuthority: string
}

/**
 * The objects with every webhook that names a Service turned to the target, at the path it names. Custom resource
 * definitions get their conversion turned likewise. Webhooks with a URL, and all other objects, stay as they are.
 */
export function rewriteWebhooks(
  objects: readonly KubeObject[],
  target: WebhookTarget,
): KubeObject[] {
  return objects.map((object) => {
    switch (object.kind) {
      case 'MutatingWebhookConfiguration':
      case 'ValidatingWebhookConfiguration':
        return rewriteConfiguration(object, target)
      case 'CustomResourceDefinition':
        return rewriteConversion(object, target)
      default:
        return object
    }
  })
}

/** A custom resource definition whose conversion is done by the target, if a Service was to do it. */
export function rewriteConversion(definition: KubeObject, target: WebhookTarget): KubeObject {
  const { spec } = definition
  const conversion = fieldAt(spec, 'conversion')
  const webhook = fieldAt(conversion, 'webhook')
  if (!isRecord(spec) || !isRecord(conversion) || !isRecord(webhook)) {
    return definition
  }
  const rewritten = { ...conversion, webhook: rewriteClient(webhook, target) }
  return { ...definition, spec: { ...spec, conversion: rewritten } }
}

function rewriteConfiguration(configuration: KubeObject, target: WebhookTarget): KubeObject {
  const { webhooks } = configuration
  return Array.isArray(webhooks)
    ? {
        ...configuration,
        webhooks: webhooks.map((webhook: unknown) =>
          isRecord(webhook) ? rewriteClient(webhook, target) : webhook,
        ),
      }
    : configuration
}

/** `holder` with its `clientConfig` turned to the target. */
function rewriteClient(
  holder: Record<string, unknown>,
  target: WebhookTarget,
): Record<string, unknown> {
  const service = fieldAt(holder, 'clientConfig', 'service')
  if (!isRecord(service)) {
    return holder
  }
  const caBundle = Buffer.from(target.certificateAuthority).toString('base64')
  return {
    ...holder,
    clientConfig: { url: urlOf(target, textAt(service, 'path') ?? ''), caBundle },
  }
}

/** The path is joined as text: as a relative URL, `//elsewhere` would be another host. */
function urlOf({ host, port }: WebhookTarget, path: string): string {
  return `https://${urlHost(host)}:${port}/${path.replace(/^\//, '')}`
}
