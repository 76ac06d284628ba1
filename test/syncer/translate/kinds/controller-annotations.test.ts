import { expect, test } from 'vitest'
import { annotationRefusals } from '../../../../src/syncer/translate/kinds/controller-annotations.ts'
import { virtualObject } from '../some-objects.ts'

const NGINX = 'nginx.ingress.kubernetes.io'
const AWS = 'service.beta.kubernetes.io'

/** The keys that the owner names, an annotation, and whether the host may have an Ingress with it. */
test.for([
  [[], `${NGINX}/rewrite-target`, '/$2', true],
  [[], `${NGINX}/auth-secret`, 'users', true],
  [[], `${NGINX}/rewrite-target`, '/;} location /admin {', false],
  [[], `${NGINX}/rewrite-target`, '/\nalias /etc', false],
  // Without these, anyone would reach what the user has closed.
  [[], `${NGINX}/auth-url`, 'https://auth.example.com', false],
  [[], 'haproxy.org/allow-list', '10.0.0.0/8', false],
  [['haproxy.org/*'], 'haproxy.org/allow-list', '10.0.0.0/8', true],
  [['*'], 'haproxy.org/allow-list', '10.0.0.0/8', true],
  // These are for tools of the plane's users.
  [[], 'cert-manager.io/cluster-issuer', 'letsencrypt', true],
  [[], 'meta.helm.sh/release-name', 'shop', true],
  [[], 'note', 'hello', true],
  [[], 'kubernetes.io/ingress.class', 'public', true],
  // These affect others, or name objects of the host.
  [['*'], `${NGINX}/server-snippet`, 'alias /etc/;', false],
  [[`${NGINX}/*`], `${NGINX}/server-snippet`, 'alias /etc/;', false],
  [[`${NGINX}/server-snippet`], `${NGINX}/server-snippet`, 'alias /etc/;', true],
  [['*'], `${NGINX}/custom-headers`, 'kube-system/headers', false],
  [['*'], `${NGINX}/fastcgi-params-configmap`, 'vplane-dev-kube-apiserver', false],
  [['*'], 'nginx.org/basic-auth-secret', 'vplane-dev-ca', false],
  [['*'], 'haproxy-ingress.github.io/config-backend', 'http-request deny', false],
  [['*'], 'alb.ingress.kubernetes.io/group.name', 'prod', false],
  [['*'], 'traefik.ingress.kubernetes.io/router.middlewares', 'a-b@kubernetescrd', false],
  [['*'], 'cert-manager.io/cluster-issuer', 'letsencrypt', false],
] as const)('with %j, judges %s: %j of an Ingress', ([annotations, key, value, isAllowed]) => {
  const ingress = virtualObject('Ingress', {}, { annotations: { [key]: value } })

  expect(annotationRefusals({ annotations }, 'ingresses', ingress)).toEqual(
    isAllowed ? [] : [expect.stringContaining(`"sync.annotations: [${key}]"`)],
  )
})

test.for([
  [[], 'LoadBalancer', `${AWS}/aws-load-balancer-internal`, false],
  [[`${AWS}/*`], 'LoadBalancer', `${AWS}/aws-load-balancer-internal`, true],
  [[], 'LoadBalancer', 'prometheus.io/scrape', true],
  [[], 'LoadBalancer', 'service.kubernetes.io/topology-mode', true],
  // No controller of load balancers reads those of other Services.
  [[], 'ClusterIP', `${AWS}/aws-load-balancer-internal`, true],
  [['*'], 'ClusterIP', 'cloud.google.com/backend-config', false],
  [['*'], 'ClusterIP', 'traefik.ingress.kubernetes.io/service.serverstransport', false],
] as const)(
  'with %j, judges a Service of type %s with %s',
  ([annotations, type, key, isAllowed]) => {
    const service = virtualObject('Service', { spec: { type } }, { annotations: { [key]: 'true' } })

    expect(annotationRefusals({ annotations }, 'services', service)).toEqual(
      isAllowed ? [] : [expect.stringContaining(`"sync.annotations: [${key}]"`)],
    )
  },
)
