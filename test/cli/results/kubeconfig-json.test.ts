import { expect, test } from 'vitest'
import { toKubeconfigJson } from '../../../src/cli/results/kubeconfig-json.ts'
import { kubeconfigContexts } from '../../../src/kubeconfig/kubeconfig-contexts.ts'

test('has the whole kubeconfig as JSON', async () => {
  const contexts = kubeconfigContexts({
    location: { files: ['/nonexistent/config'] },
    writtenBy: '1.2.3',
    plugin: ({ name }) => ({ command: '/opt/plugin', args: [name] }),
  })
  const text = contexts.render({
    plane: { name: 'dev', driver: 'local' },
    endpoint: { server: 'https://127.0.0.1:6443', certificateAuthority: 'ca' },
    user: { kind: 'plugin' },
  })

  const json = await toKubeconfigJson(text)

  expect(json).toMatchObject({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ cluster: { server: 'https://127.0.0.1:6443' } }],
    users: [
      { user: { exec: { command: '/opt/plugin', args: ['dev'], provideClusterInfo: true } } },
    ],
  })
  expect(Object.keys(json)).toContain('current-context')
})
