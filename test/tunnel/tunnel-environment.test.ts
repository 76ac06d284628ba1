import { expect, test } from 'vitest'
import { tunnelEnvironment } from '../../src/tunnel/tunnel-environment.ts'

test('stores the variables of logins, proxies and certificates', () => {
  const needed = {
    PATH: '/usr/bin',
    HOME: '/home/ada',
    KUBECONFIG: '/home/ada/.kube/config',
    AWS_PROFILE: 'team-a',
    AWS_SECRET_ACCESS_KEY: 'hush',
    GOOGLE_APPLICATION_CREDENTIALS: '/home/ada/key.json',
    AZURE_CONFIG_DIR: '/home/ada/.azure',
    https_proxy: 'http://proxy:3128',
    NO_PROXY: 'localhost',
    SSL_CERT_FILE: '/etc/ssl/cert.pem',
    XDG_DATA_HOME: '/home/ada/.data',
    VPLANE_HOME: '/home/ada/vplane',
    SystemRoot: 'C:\\Windows',
  }

  expect(tunnelEnvironment(needed)).toEqual(needed)
})

test('stores no other variables', () => {
  const other = {
    NPM_TOKEN: 'hush',
    GITHUB_TOKEN: 'hush',
    NODE_OPTIONS: '--inspect',
    LD_PRELOAD: '/tmp/x.so',
    KUBERNETES_EXEC_INFO: '{}',
    HTTP_PROXY: undefined,
  }

  expect(tunnelEnvironment(other)).toEqual({})
})
