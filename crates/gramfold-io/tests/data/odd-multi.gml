graph [
  multigraph 1
  node [
    id 0
    label "Ann Lee"
  ]
  node [
    id 1
    label "C&#34;&#233;, x"
  ]
  node [
    id 2
    label "&#8238;<script>"
  ]
  node [
    id 3
    label "#hash"
  ]
  node [
    id 4
    label "{brace}"
  ]
  node [
    id 5
    label "&#26085;&#26412;"
  ]
  edge [
    source 0
    target 1
    key 0
    weight 1.5
  ]
  edge [
    source 0
    target 1
    key 1
    weight 1.0
  ]
  edge [
    source 0
    target 5
    key 0
    weight 3.0
  ]
  edge [
    source 1
    target 2
    key 0
    weight 2.0
  ]
  edge [
    source 2
    target 3
    key 0
    weight 0.25
  ]
  edge [
    source 3
    target 4
    key 0
    weight 4.0
  ]
  edge [
    source 4
    target 5
    key 0
    weight 0.5
  ]
]
