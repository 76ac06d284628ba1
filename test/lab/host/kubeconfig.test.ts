import { expect, test } from 'vitest'
import { parseYaml } from '../../../src/shared/yaml/yaml.ts'
import { fileKubeconfig, hostKubeconfig } from './kubeconfig.ts'

const CONTENT = {
  name: 'h1',
  server: 'https://10.99.1.10:6443',
  certificateAuthority: 'CA',
  certificate: 'CERTIFICATE',
  key: 'KEY',
}

test('carries everything in it', () => {
  expect(parseYaml(hostKubeconfig(CONTENT), 'kubeconfig')).toEqual({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'h1',
    clusters: [
      {
        name: 'h1',
        cluster: { server: 'https://10.99.1.10:6443', 'certificate-authority-data': 'Q0E=' },
      },
    ],
    contexts: [{ name: 'h1', context: { cluster: 'h1', user: 'h1' } }],
    users: [
      {
        name: 'h1',
        user: { 'client-certificate-data': 'Q0VSVElGSUNBVEU=', 'client-key-data': 'S0VZ' },
      },
    ],
  })
})

test('says the namespace of those who have one', () => {
  expect(parseYaml(hostKubeconfig({ ...CONTENT, namespace: 'team' }), 'x')).toMatchObject({
    contexts: [{ context: { cluster: 'h1', user: 'h1', namespace: 'team' } }],
  })
})

test('names files for processes of this machine', () => {
  expect(parseYaml(fileKubeconfig('kubelet', CONTENT.server, '/pki'), 'x')).toMatchObject({
    clusters: [{ cluster: { 'certificate-authority': '/pki/ca.crt' } }],
    users: [
      { user: { 'client-certificate': '/pki/kubelet.crt', 'client-key': '/pki/kubelet.key' } },
    ],
  })
})
