import { expect, test } from 'vitest'
import { componentEnvironment } from '../../../../src/drivers/local/components/component-environment.ts'

test('passes on only proxies, trusted CAs and the time zone of the user', () => {
  const environment = {
    HTTPS_PROXY: 'http://proxy:3128',
    no_proxy: 'example.com',
    SSL_CERT_FILE: '/etc/ca.pem',
    TZ: 'Europe/Berlin',
    HTTP_PROXY: undefined,
    PATH: '/home/me/bin',
    HOME: '/home/me',
    AWS_SECRET_ACCESS_KEY: 'hush',
    ETCD_DATA_DIR: '/elsewhere',
    GODEBUG: 'x',
    KUBECONFIG: '/home/me/.kube/config',
  }

  expect(componentEnvironment(environment, { GOGC: '50' })).toEqual({
    PATH: '/usr/bin:/bin',
    HTTPS_PROXY: 'http://proxy:3128',
    no_proxy: 'example.com',
    SSL_CERT_FILE: '/etc/ca.pem',
    TZ: 'Europe/Berlin',
    GOGC: '50',
  })
})
