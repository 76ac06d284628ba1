import { fieldAt, isRecord, textAt } from '../../shared/json-fields.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { urlHost } from '../../shared/network/url-host.ts'

/** The address of the server that answers instead of Services. */
export interface WebhookTarget {
  /** A host name or address in the server's certificate. */
  host: string
  port: number
  /** CA bundle for the server's certificate, PEM. */
  certificateAuthority: string
}

/**
 * Redirects every webhook that calls a Service to the same path of the target, including conversions of custom resource
 * definitions. Webhooks with a URL, and all other objects, stay unchanged.
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

/** Redirects the conversion to the target, if it calls a Service. */
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
  if (!Array.isArray(webhooks)) {
    return configuration
  }
  const rewritten = webhooks.map((webhook: unknown) =>
    isRecord(webhook) ? rewriteClient(webhook, target) : webhook,
  )
  return { ...configuration, webhooks: rewritten }
}

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

/** Joins the path as text: as a relative URL, `//elsewhere` would be another host. */
function urlOf({ host, port }: WebhookTarget, path: string): string {
  return `https://${urlHost(host)}:${port}/${path.replace(/^\//, '')}`
}
