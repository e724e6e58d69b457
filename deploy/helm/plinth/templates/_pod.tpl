{{/* The template of a service's pods. Takes (list $ service). */}}
{{- define "plinth.pod" -}}
{{- $ := first . -}}
{{- $service := last . -}}
{{- $own := index $.Values.services $service -}}
{{- $secrets := include "plinth.secrets" . | fromYaml -}}
metadata:
  labels:
    {{- include "plinth.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ $service }}
  {{- with $own.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "plinth.fullname" $ }}{{ if include "plinth.hasAccount" . }}-runtime{{ end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  # The delay before SIGTERM, the time for running calls, five seconds for builds, and a margin for connections.
  terminationGracePeriodSeconds: {{ add (default 0 $own.endpointRemovalSeconds) $own.shutdownGraceSeconds 20 }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    # Repositories are many files: only the root of the volume is looked at.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with $.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "plinth.selector" (list $ $service) | nindent 10 }}
    {{- end }}
  {{- with $own.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if include "plinth.runsModels" . }}
  {{- with $.Values.sandbox.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- if not $.Values.sandbox.hostUsers }}
  hostUsers: false
  {{- end }}
  {{- end }}
  {{- if include "plinth.hasSandbox" . }}
  initContainers: {{- include "plinth.sandbox" $ | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ $service }}
      image: {{ include "plinth.image" $ | quote }}
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args: [node, dist/apps/{{ $service }}/src/main.js]
      env:
        {{- range $variable, $value := include "plinth.settings" . | fromYaml }}
        - name: {{ $variable }}
          value: {{ kindIs "float64" $value | ternary (int64 $value) $value | toString | quote }}
        {{- end }}
        {{- if eq $service "build-worker" }}
        - name: PLINTH_WORKER_ID
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- else if eq $service "runtime" }}
        - name: PLINTH_RUNTIME_ID
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        {{- end }}
        {{- range $variable, $_ := $secrets }}
        - name: {{ $variable }}_FILE
          value: /run/secrets/plinth/{{ $variable }}
        {{- end }}
      ports:
        - { name: operations, containerPort: 9400 }
        {{- if eq $service "gateway" }}
        - { name: api, containerPort: 4000 }
        {{- end }}
      # The first start runs the migrations, or waits for the replica that does.
      startupProbe:
        httpGet: { path: /healthz/live, port: operations }
        periodSeconds: 2
        failureThreshold: 90
      livenessProbe:
        httpGet: { path: /healthz/live, port: operations }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /healthz/ready, port: operations }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      {{- with $own.endpointRemovalSeconds }}
      lifecycle:
        preStop:
          sleep: { seconds: {{ . }} }
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      resources: {{- toYaml $own.resources | nindent 8 }}
      volumeMounts:
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/plinth, readOnly: true }
        {{- if eq $service "build-worker" }}
        - { name: repositories, mountPath: /var/lib/plinth }
        {{- end }}
        {{- if include "plinth.hasSandbox" . }}
        - { name: sandbox, mountPath: /run/plinth }
        {{- end }}
        {{- if include "plinth.hasAccount" . }}
        - { name: account, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true }
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    - name: secrets
      projected:
        defaultMode: 0440
        sources:
          {{- range $variable, $source := $secrets }}
          - secret:
              name: {{ $source.existingSecret }}
              items: [{ key: {{ $source.key | quote }}, path: {{ $variable }} }]
          {{- end }}
    {{- if eq $service "build-worker" }}
    - name: repositories
      persistentVolumeClaim:
        claimName: {{ default (printf "%s-repositories" (include "plinth.fullname" $)) $.Values.storage.existingClaim }}
    {{- end }}
    {{- if include "plinth.hasAccount" . }}
    - name: account
      projected:
        defaultMode: 0440
        sources:
          - serviceAccountToken: { path: token, expirationSeconds: 3600 }
          - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
          - downwardAPI: { items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }] }
    {{- end }}
    {{- if include "plinth.hasSandbox" . }}
    - name: sandbox
      emptyDir: {}
    - name: sandbox-users
      emptyDir: { medium: Memory, sizeLimit: 64Mi }
    {{- end }}
{{- end -}}
