import { expect, test } from 'vitest'
import { keeperEnvironment } from '../../../src/compose/launcher/keeper-environment.ts'
import { componentEnvironment } from '../../../src/drivers/local/components/component-environment.ts'

test('has what backups, proxies and downloads need, and no other variables', () => {
  const needed = {
    HOME: '/home/ada',
    AWS_PROFILE: 'team-a',
    VPLANE_HOME: '/home/ada/vplane',
    VPLANE_MIRROR: 'https://mirror.example.com',
    VPLANE_OFFLINE: '1',
  }

  expect(keeperEnvironment({ ...needed, VPLANE_TIMEOUT: '1s', NPM_TOKEN: 'hush' })).toEqual(needed)
})

test('has what components get from the command that starts them', () => {
  const environment = {
    HTTP_PROXY: 'http://proxy:1',
    HTTPS_PROXY: 'http://proxy:2',
    NO_PROXY: 'a',
    http_proxy: 'http://proxy:3',
    https_proxy: 'http://proxy:4',
    no_proxy: 'b',
    SSL_CERT_DIR: '/certs',
    SSL_CERT_FILE: '/ca.pem',
    TZ: 'Europe/Berlin',
  }

  expect(componentEnvironment(keeperEnvironment(environment), {})).toEqual({
    ...environment,
    PATH: '/usr/bin:/bin',
  })
})
