{{- define "plinth.services" -}}
gateway control-plane build-worker runtime workspace embed agents scim
{{- end -}}

{{/* Short enough that the name of a pod stays within the 64 characters of PLINTH_WORKER_ID and PLINTH_RUNTIME_ID. */}}
{{- define "plinth.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | replace "." "-" | trunc 34 | trimSuffix "-" -}}
{{- end -}}

{{/* Takes (list $ service). */}}
{{- define "plinth.selector" -}}
app.kubernetes.io/name: {{ (first .).Chart.Name }}
app.kubernetes.io/instance: {{ (first .).Release.Name }}
app.kubernetes.io/component: {{ last . }}
{{- end -}}

{{- define "plinth.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "plinth.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether engines are pods, which runtimes make. */}}
{{- define "plinth.runsPods" -}}
{{- if eq .Values.engines.driver "kubernetes" }}true{{ end -}}
{{- end -}}

{{/* Whether a service runs code of data models or of charts, so that it is hardened. Takes (list $ service). */}}
{{- define "plinth.runsModels" -}}
{{- $isRuntime := and (eq (last .) "runtime") (not (include "plinth.runsPods" (first .))) -}}
{{- if or (has (last .) (list "build-worker" "workspace")) $isRuntime }}true{{ end -}}
{{- end -}}

{{/* Whether a service talks to the Kubernetes API. Takes (list $ service). */}}
{{- define "plinth.hasAccount" -}}
{{- if and (eq (last .) "runtime") (include "plinth.runsPods" (first .)) }}true{{ end -}}
{{- end -}}

{{/* Whether a service has a sidecar that does it. Takes (list $ service). */}}
{{- define "plinth.hasSandbox" -}}
{{- if and (include "plinth.runsModels" .) (first .).Values.sandbox.enabled }}true{{ end -}}
{{- end -}}

{{/* Whether something other than the chart sets the number of build workers. */}}
{{- define "plinth.isScaled" -}}
{{- if or .Values.scaling.keda.enabled .Values.scaling.autoscaler.enabled }}true{{ end -}}
{{- end -}}

{{/*
The secrets of a service as YAML: variable -> { existingSecret, key }. Each is mounted as a file and named by
<variable>_FILE, so that no value shows in the environment or in the pod's description. Takes (list $ service).
*/}}
{{- define "plinth.secrets" -}}
{{- $ := first . -}}
{{- $service := last . -}}
{{- $secrets := dict -}}
{{- with $.Values.nats -}}
{{- $_ := set $secrets "PLINTH_NATS_PASSWORD" (dict "existingSecret" .existingSecret "key" (printf "%s-password" $service)) -}}
{{- if not .url -}}
{{- $_ := set $secrets "PLINTH_NATS_URL" (dict "existingSecret" .existingSecret "key" .urlKey) -}}
{{- end -}}
{{- end -}}
{{- if not (has $service (list "gateway" "scim")) -}}
{{- with $.Values.database -}}
{{- $_ := set $secrets "PLINTH_DATABASE_URL" (dict "existingSecret" .existingSecret "key" .urlKey) -}}
{{- end -}}
{{- $_ := set $secrets "PLINTH_ENCRYPTION_KEYS" $.Values.encryptionKeys -}}
{{- else if and (eq $service "gateway") $.Values.tls.existingSecret -}}
{{- $_ := set $secrets "PLINTH_TLS_CERTIFICATE" (dict "existingSecret" $.Values.tls.existingSecret "key" "tls.crt") -}}
{{- $_ := set $secrets "PLINTH_TLS_KEY" (dict "existingSecret" $.Values.tls.existingSecret "key" "tls.key") -}}
{{- end -}}
{{- if and (eq $service "control-plane") $.Values.bootstrapApiKey.existingSecret -}}
{{- $_ := set $secrets "PLINTH_BOOTSTRAP_API_KEY" $.Values.bootstrapApiKey -}}
{{- end -}}
{{- merge (deepCopy (index $.Values.services $service).secrets) $secrets | toYaml -}}
{{- end -}}

{{/* The plain settings of a service as YAML: variable -> text. Takes (list $ service). */}}
{{- define "plinth.settings" -}}
{{- $ := first . -}}
{{- $service := last . -}}
{{- $own := index $.Values.services $service -}}
{{- $settings := dict
  "NODE_ENV" "production"
  "PLINTH_NATS_USER" $service
  "PLINTH_OPERATIONS_HOST" "0.0.0.0"
  "PLINTH_OPERATIONS_PORT" "9400"
  "PLINTH_SHUTDOWN_GRACE_MS" (mul $own.shutdownGraceSeconds 1000)
-}}
{{- with $.Values.nats.url }}{{- $_ := set $settings "PLINTH_NATS_URL" . -}}{{- end -}}
{{- if eq $service "gateway" -}}
{{- $_ := set $settings "PLINTH_HOST" "0.0.0.0" -}}
{{- $_ := set $settings "PLINTH_PORT" "4000" -}}
{{- with $.Values.trustedProxies }}{{- $_ := set $settings "PLINTH_TRUSTED_PROXIES" (join "," .) -}}{{- end -}}
{{- else if eq $service "build-worker" -}}
{{- $_ := set $settings "PLINTH_STORAGE_ROOT" "/var/lib/plinth" -}}
{{- end -}}
{{- if include "plinth.hasAccount" . -}}
{{- with $.Values.engines -}}
{{- $_ := set $settings "PLINTH_ENGINE_DRIVER" .driver -}}
{{- $_ := set $settings "PLINTH_ENGINE_IMAGE" .image -}}
{{- $_ := set $settings "PLINTH_ENGINE_IMAGE_PULL_SECRETS" (join "," .pullSecrets) -}}
{{- $_ := set $settings "PLINTH_ENGINE_POD_CPU" .cpu -}}
{{- $_ := set $settings "PLINTH_ENGINE_POD_MEMORY_MB" .memoryMb -}}
{{- $_ := set $settings "PLINTH_ENGINE_PRIVATE_ADDRESSES" .privateAddresses -}}
{{- $_ := set $settings "PLINTH_KUBERNETES_CLUSTER_NETWORKS" (join "," .clusterNetworks) -}}
{{- $_ := set $settings "PLINTH_KUBERNETES_INSTANCE" $.Release.Name -}}
{{- $_ := set $settings "PLINTH_KUBERNETES_NAMESPACE" .namespace -}}
{{- $_ := set $settings "PLINTH_KUBERNETES_PLATFORM_NAMESPACE" $.Release.Namespace -}}
{{- end -}}
{{- end -}}
{{- if include "plinth.hasSandbox" . -}}
{{- $_ := set $settings "PLINTH_SANDBOX" "container" -}}
{{- $_ := set $settings "PLINTH_SANDBOX_SOCKET" "/run/plinth/sandbox.sock" -}}
{{- end -}}
{{- mergeOverwrite $settings $.Values.settings $own.settings | toYaml -}}
{{- end -}}
