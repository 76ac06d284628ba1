import { expect, test } from 'vitest'
import { CREDENTIAL_FORMATS } from '../../../src/control-plane/spec/credentials/credentials-spec.ts'
import {
  credentialFiles,
  type IssuedCredential,
} from '../../../src/manifests/credentials/credential-files.ts'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'

const CERTIFICATE = { certificate: 'a certificate', key: 'a key' }
const TOKEN = { token: 'a token' }

const base64 = (text: string) => Buffer.from(text).toString('base64')

function filesOf(format: (typeof CREDENTIAL_FORMATS)[number], credential: IssuedCredential) {
  const server = 'https://vplane-dev-api.team-a.svc'
  return credentialFiles(format, { name: 'dev', server, certificateAuthority: 'a CA', credential })
}

// KubeConfigReference.SecretRef in apis/meta v1.25 of kustomize-controller/api v1.8.0: "value" is a default key. Cluster API
// (util/secret, KubeconfigDataName) reads the same one.
test('writes a kubeconfig with everything in it under the key of Flux and Cluster API', () => {
  const files = filesOf('kubeconfig', CERTIFICATE)

  expect(Object.keys(files)).toEqual(['value'])
  expect(parseYaml(files['value'] ?? '', 'it')).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'dev',
        cluster: {
          server: 'https://vplane-dev-api.team-a.svc',
          'certificate-authority-data': base64('a CA'),
        },
      },
    ],
    users: [
      {
        name: 'dev',
        user: {
          'client-certificate-data': base64('a certificate'),
          'client-key-data': base64('a key'),
        },
      },
    ],
    contexts: [{ name: 'dev', context: { cluster: 'dev', user: 'dev' } }],
    'current-context': 'dev',
  })
})

test('writes the token of a ServiceAccount into a kubeconfig', () => {
  const { value = '' } = filesOf('kubeconfig', TOKEN)

  expect(parseYaml(value, 'it')).toMatchObject({ users: [{ user: { token: 'a token' } }] })
})

// SecretToCluster in util/db/cluster.go, ClusterConfig and TLSClientConfig in pkg/apis/application/v1alpha1/types.go of
// argo-cd v3.3.0: the config is decoded with encoding/json, which reads []byte as base64.
test.for([
  [
    CERTIFICATE,
    {
      tlsClientConfig: {
        insecure: false,
        caData: base64('a CA'),
        certData: base64('a certificate'),
        keyData: base64('a key'),
      },
    },
  ],
  [TOKEN, { bearerToken: 'a token', tlsClientConfig: { insecure: false, caData: base64('a CA') } }],
] as const)('writes a cluster of Argo CD with %o', ([credential, config]) => {
  const files = filesOf('argocd', credential)

  expect(files).toEqual({
    name: 'dev',
    server: 'https://vplane-dev-api.team-a.svc',
    config: expect.any(String),
  })
  expect(JSON.parse(files['config'] ?? '')).toEqual(config)
})

test.for([
  [
    CERTIFICATE,
    { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' },
    { 'tls.crt': 'a certificate', 'tls.key': 'a key' },
  ],
  [TOKEN, { tokenFile: 'token' }, { token: 'a token' }],
] as const)('writes files beside a kubeconfig that names them with %o', (row) => {
  const [credential, user, beside] = row
  const { kubeconfig = '', ...files } = filesOf('files', credential)

  expect(files).toEqual({ 'ca.crt': 'a CA', ...beside })
  expect(parseYaml(kubeconfig, 'it')).toMatchObject({
    clusters: [{ cluster: { 'certificate-authority': 'ca.crt' } }],
    users: [{ user }],
  })
})
