import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'

/** Where custom resource definitions live. */
export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** A small custom resource definition of the group `example.com`; `spec` replaces fields of its spec. */
export function crd(plural: string, spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind: plural.toUpperCase() },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: {} } }],
      ...spec,
    },
  }
}

/** The versions of a definition, of which the last one is stored. */
export function versions(...names: string[]): Record<string, unknown> {
  const schema = { openAPIV3Schema: { type: 'object' } }
  return {
    versions: names.map((name, index) => ({
      name,
      served: true,
      storage: index === names.length - 1,
      schema,
    })),
  }
}

/** The conversion of a definition through a Service. */
export function serviceConversion(namespace: string, name: string): Record<string, unknown> {
  return {
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { namespace, name, path: '/convert' } },
      },
    },
  }
}

/** A validating or mutating webhook configuration with one webhook for each client. */
export function webhookConfiguration(
  kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
  name: string,
  clients: object[],
): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: clients.map((clientConfig, index) => ({
      name: `w${index}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig,
      rules: [
        { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
      ],
    })),
  }
}
