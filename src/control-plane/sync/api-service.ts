/** The Service of its own API in every plane. On the host it is the endpoint of the plane. */
export const API_SERVICE = 'default/kubernetes'
