import { expect, test } from 'vitest'
import { removedApis } from '../../../../src/control-plane/use-cases/upgrade/lost-apis.ts'

/** As kube-apiserver 1.31 says it. */
const METRICS = [
  '# TYPE apiserver_requested_deprecated_apis gauge',
  'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="",version="v1beta3"} 1',
  'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="status",version="v1beta3"} 1',
  'apiserver_requested_deprecated_apis{group="",removed_release="",resource="componentstatuses",subresource="",version="v1"} 1',
  'apiserver_request_total{code="200",group="",resource="pods",version="v1"} 7',
].join('\n')

test('names what was asked for and goes away with the version, or went before it', () => {
  const expected = [
    'flowschemas of flowcontrol.apiserver.k8s.io/v1beta3, which is gone from 1.32 on',
    'flowschemas/status of flowcontrol.apiserver.k8s.io/v1beta3, which is gone from 1.32 on',
  ]

  expect(removedApis(METRICS, '1.32.0')).toEqual(expected)
  expect(removedApis(METRICS, '1.33.1')).toEqual(expected)
})

test('says nothing of what stays, and of what goes away later', () => {
  expect(removedApis(METRICS, '1.31.9')).toEqual([])
  expect(removedApis('', '1.36.0')).toEqual([])
})
