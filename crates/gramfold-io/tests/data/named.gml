graph [
  node [
    id 0
    label "Ann Lee"
  ]
  node [
    id 1
    label "bob"
  ]
  node [
    id 2
    label "C&#233; &#34;q&#34;"
  ]
  node [
    id 3
    label "lone"
  ]
  edge [
    source 0
    target 1
    weight 1.5
  ]
  edge [
    source 0
    target 2
    weight 0.25
  ]
  edge [
    source 1
    target 2
    weight 2
  ]
]
